#!/bin/sh
# OpenJDK 25.0.3 (Temurin, seen on Debian 12), Linux x86_64.
# Guess: an AOT cache whose training run used -XX:TieredStopAtLevel=1, so that it ends sooner, only lacks profiles of methods. Runs with
# the cache and all compilers then reach the same speed as runs without it.
# Seen: the cache has training data that say level 1, and the later run never compiles the hot methods with C2. So it stays
# slow for as long as it runs: an HTTP service answered 0.58 as many requests. Trained by the interpreter (-Xint), it is as fast as without
# a cache.
# Needs a JDK 25 in JAVA_HOME or on the PATH. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
bin=${JAVA_HOME:+$JAVA_HOME/bin/}
cat > Work.java <<'END'
public class Work {
    public static void main(String[] arguments) {
        int[] numbers = new int[1_000];
        for (long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000; System.nanoTime() < end;) {
            work(numbers);
        }
    }

    private static void work(int[] numbers) {
        for (int i = 1; i < numbers.length; i++) {
            numbers[i] = mix(numbers[i - 1]) + i;
        }
    }

    private static int mix(int number) {
        return Integer.rotateLeft(number * 31, 7) ^ number;
    }
}
END
"${bin}javac" Work.java
"${bin}jar" --create --file work.jar Work.class
# Usage: train CACHE OPTION
train() { "${bin}java" "$2" -XX:AOTCacheOutput="$1" -Xlog:aot=off,cds=off -cp work.jar Work 2000 > /dev/null 2>&1; }
# Usage: levels OPTION... Prints the highest level at which the hot method was compiled: 4 is C2.
levels() {
    "${bin}java" "$@" -XX:+PrintCompilation -cp work.jar Work 5000 |
        awk '/Work::work / { for (i = 1; i < NF; i++) if ($(i + 1) == "Work::work" && $i > most) most = $i }
            END { print most + 0 }'
}
train c1.aot -XX:TieredStopAtLevel=1
train interpreted.aot -Xint
cat > expected <<'END'
without a cache: level 4
trained by the interpreter: level 4
trained with C1 alone: level 1
END
{
    echo "without a cache: level $(levels -XX:AOTMode=off)"
    echo "trained by the interpreter: level $(levels -XX:AOTMode=on -XX:AOTCache=interpreted.aot)"
    echo "trained with C1 alone: level $(levels -XX:AOTMode=on -XX:AOTCache=c1.aot)"
} | tee seen
cmp -s seen expected
