import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/// Ends a process and its descendants, and waits for their end.
///
/// Usage: `java End.java PROCESS`, where PROCESS is the number of the process
final class End {

    private End() {
    }

    public static void main(String[] args) {
        ProcessHandle.of(Long.parseLong(args[0])).ifPresent(End::of);
    }

    static void of(ProcessHandle process) {
        List<ProcessHandle> all = Stream.concat(Stream.of(process), process.descendants()).toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(each -> each.onExit().completeOnTimeout(each, 10, TimeUnit.SECONDS).join());
    }
}
