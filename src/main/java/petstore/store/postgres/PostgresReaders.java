package petstore.store.postgres;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import petstore.Catalogue.Page;
import petstore.Failure;
import petstore.PetQuery;
import petstore.store.Database.Work;
import petstore.store.Session;
import petstore.store.queue.WorkQueue;

/// The reads of threads, each on its own connection. A thread reads pages that wait together, in one round trip.
record PostgresReaders(PostgresSessions sessions) {

    private static final int LARGEST_GROUP = 8;
    /// The SQLSTATE classes of rejected values and of damaged data.
    private static final List<String> ROW_ERRORS = List.of("22", "XX");

    /// The reading of one page.
    record PageRead(PetQuery query) implements Work<Page> {

        @Override
        public Page on(Session session) throws SQLException {
            return PostgresPets.pages(session, List.of(query)).getFirst();
        }
    }

    /// Returns a queue whose results are those of its reads.
    WorkQueue<Work<?>, Object> queue(int threads, Duration patience) {
        return new WorkQueue<>("postgres-reader", WorkQueue.Limits.ofReads(LARGEST_GROUP, patience),
                Collections.nCopies(threads, this::readGroup),
                // No page waits for other work.
                (first, next) -> first instanceof PageRead && next instanceof PageRead);
    }

    private List<Object> readGroup(List<Work<?>> group) {
        Map<Work<?>, Object> outcomes = new HashMap<>();
        group.stream().filter(PageRead.class::isInstance).map(PageRead.class::cast).distinct()
                .collect(Collectors.groupingBy(page -> page.query().status().isEmpty())).values()
                .forEach(pages -> readPages(pages, outcomes));
        return group.stream().<Object>map(work -> outcomes.computeIfAbsent(work, this::outcome)).toList();
    }

    /// Reads pages together, and adds the outcome of each. Adds none if the error may be that of one page: then the caller reads each page
    /// alone, so that the others do not fail.
    private void readPages(List<PageRead> pages, Map<Work<?>, Object> outcomes) {
        try {
            List<Page> read = sessions.use(
                    session -> PostgresPets.pages(session, pages.stream().map(PageRead::query).toList()));
            for (int i = 0; i < pages.size(); i++) {
                outcomes.put(pages.get(i), read.get(i));
            }
        } catch (RuntimeException e) {
            if (!mayBeOfOnePage(e)) {
                pages.forEach(page -> outcomes.put(page, e));
            }
        }
    }

    /// Returns true if the rows of one page may have caused the error, e.g. an unknown status. Such an error comes at once. After others,
    /// e.g. a timeout, reading each page alone would take too long.
    private static boolean mayBeOfOnePage(RuntimeException e) {
        return !(e instanceof Failure) || (e.getCause() instanceof SQLException rejected
                && ROW_ERRORS.stream().anyMatch(String.valueOf(rejected.getSQLState())::startsWith));
    }

    /// Returns the result of a read, or its exception, so that the other reads of its group do not fail.
    private Object outcome(Work<?> work) {
        try {
            return sessions.use(work::on);
        } catch (RuntimeException e) {
            return e;
        }
    }
}
