package petstore.store;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/// Work for which no request waits, and which a lock or a slow disk may hold up. It has one connection at most, so that keys, versions and
/// health checks always find one.
final class OneAtATime {

    private final ReentrantLock lock = new ReentrantLock();

    /// Runs `work` once no other work runs. Blocks.
    <T> T run(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }
}
