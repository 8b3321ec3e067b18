#!/bin/sh
# OpenJDK 25.0.3 (Temurin, seen on Debian 12), Linux x86_64.
# Guess: a cache of -XX:AOTCacheOutput and one of -Xshare:dump -XX:+AOTClassLinking, made of the classes of the same program, both hold
# classes only. Java checks the collector and the jar, so that either may be used on another machine.
# Seen: the first also holds machine code (adapters between interpreted and compiled code) for the processor of the build, and Java
# loads it with other processor features, too; a package or an image that carries it may end by SIGILL on an older machine (JDK-8388703,
# to be fixed in 25.0.5). The second holds none.
# Needs a JDK 25 in JAVA_HOME or on the PATH. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
bin=${JAVA_HOME:+$JAVA_HOME/bin/}
cat > Hello.java <<'END'
public class Hello {
    public static void main(String[] arguments) {
        System.out.println("hello");
    }
}
END
"${bin}javac" Hello.java
"${bin}jar" --create --file hello.jar Hello.class
"${bin}java" -XX:AOTCacheOutput=one-step.aot -cp hello.jar Hello > /dev/null 2>&1
"${bin}java" -XX:DumpLoadedClassList=classes -cp hello.jar Hello > /dev/null
"${bin}java" -Xshare:dump -XX:+AOTClassLinking -XX:SharedClassListFile=classes -XX:SharedArchiveFile=dumped.aot -Xlog:aot=off,cds=off \
    -cp hello.jar
# Usage: code CACHE OPTION... Prints what Java says of the machine code in a cache.
code() {
    "${bin}java" -XX:AOTMode=on -XX:AOTCache="$@" -Xlog:aot+codecache+init=info:stdout:none -cp hello.jar Hello |
        sed -n 's/Loaded [1-9][0-9]* AOT code entries.*/machine code is loaded/p; s/AOT Code Cache is empty/no machine code/p; /hello/p'
}
cat > expected <<'END'
-XX:AOTCacheOutput
machine code is loaded
hello
the same, if the processor had no AVX
machine code is loaded
hello
-Xshare:dump
no machine code
hello
END
{
    echo "-XX:AOTCacheOutput"
    code one-step.aot
    echo "the same, if the processor had no AVX"
    code one-step.aot -XX:UseAVX=0
    echo "-Xshare:dump"
    code dumped.aot
} | tee seen
cmp -s seen expected
