#!/bin/sh
# systemd-analyze 252 (Debian 12: systemd 252.39-1~deb12u2), verify --recursive-errors=no, Linux.
# Guess: with this option, a misspelled word of a setting gives a message and exit code 1, whichever the setting is.
# Seen: misspelled system calls, address families, namespaces, signals and truth values do. A misspelled capability or secure bit gives no
# message and exit code 0.
# Needs apt-get and dpkg. Exit code 1 if the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in systemd=252.39-1~deb12u2 libsystemd-shared=252.39-1~deb12u2 libip4tc2 libkmod2 libcryptsetup12 libfdisk1 libapparmor1 libseccomp2; do
    apt-get download "$package" > apt.log 2>&1 || { cat apt.log; exit 2; }
done
for file in *.deb; do
    dpkg -x "$file" package
done
libraries=$PWD/package/usr/lib/$(uname -m)-linux-gnu
mkdir units
{
    for setting in PrivateTmp=yess SystemCallFilter=opn RestrictAddressFamilies=AF_INET7 RestrictNamespaces=usr KillSignal=SIGTREM \
            CapabilityBoundingSet=CAP_NET_BIND AmbientCapabilities=CAP_NET_BIND SecureBits=keep-cap; do
        printf '%s\n' '[Unit]' 'Description=Shop' '[Service]' 'ExecStart=/bin/true' "$setting" > units/shop.service
        code=0
        LD_LIBRARY_PATH=$libraries:$libraries/systemd:$PWD/package/lib/$(uname -m)-linux-gnu \
            package/usr/bin/systemd-analyze verify --man=no --recursive-errors=no units/shop.service > report 2>&1 || code=$?
        echo "$setting: exit code $code, $(wc -l < report) messages"
    done
} | tee seen
cmp - seen <<'END'
PrivateTmp=yess: exit code 1, 1 messages
SystemCallFilter=opn: exit code 1, 1 messages
RestrictAddressFamilies=AF_INET7: exit code 1, 1 messages
RestrictNamespaces=usr: exit code 1, 1 messages
KillSignal=SIGTREM: exit code 1, 1 messages
CapabilityBoundingSet=CAP_NET_BIND: exit code 0, 0 messages
AmbientCapabilities=CAP_NET_BIND: exit code 0, 0 messages
SecureBits=keep-cap: exit code 0, 0 messages
END
