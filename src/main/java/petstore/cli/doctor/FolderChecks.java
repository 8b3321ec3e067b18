package petstore.cli.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import petstore.CommandFailure;
import petstore.store.Migrations;
import petstore.store.SchemaPolicy;
import petstore.store.sqlite.FolderLock;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.SqliteInspection;
import petstore.store.sqlite.StoreFiles;

/// Checks of the folder of an embedded store, which open nothing for writing.
record FolderChecks(Path folder, SchemaPolicy migrate, Optional<FolderLock.Owner> server, Instant now) {

    private static final long MIB = 1 << 20;
    private static final long LEAST_FREE = 64 * MIB;
    private static final long ENOUGH_FREE = 1024 * MIB;
    private static final String NETWORK = "nfs.*|cifs|smb.*|fuse\\.sshfs|afs|ceph|.*glusterfs|lustre|ncpfs|9p|vboxsf|drvfs";
    private static final String TEMPORARY = "tmpfs|ramfs";
    /// Locks of one mount are not seen through another mount of the same files.
    private static final String LAYERED = "fuse.*|overlay|aufs";
    private static final Duration CLOCK_TOLERANCE = Duration.ofMinutes(2);

    FolderChecks {
        folder = folder.toAbsolutePath().normalize();
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>(List.of(rights()));
        try {
            FileStore disk = Files.getFileStore(existing());
            findings.add(fileSystem(disk));
            findings.add(space(disk));
            findings.add(store());
        } catch (IOException e) {
            findings.add(Finding.fail("folder", CommandFailure.of(folder + " (--data) cannot be read", e)));
        } catch (CommandFailure e) {
            findings.add(Finding.fail("store", e));
        }
        return findings;
    }

    private Path existing() {
        Path path = folder;
        while (Files.notExists(path) && path.getParent() != null) {
            path = path.getParent();
        }
        return path;
    }

    private Finding rights() {
        Path path = existing();
        if (!Files.isDirectory(path)) {
            return Finding.fail("folder", path + " is not a folder", "choose another with --data");
        }
        if (!Files.isWritable(path) || !Files.isReadable(path) || !Files.isExecutable(path)) {
            return Finding.fail("folder", path + " cannot be written by this user", "run this as " + owner(path)
                    + ", change the owner, or choose another with --data");
        }
        if (!path.equals(folder)) {
            return Finding.ok("folder", folder + " does not exist; the first start makes it");
        }
        String mode = mode(path);
        return mode.endsWith("------") || mode.isEmpty()
                ? Finding.ok("folder", folder + ", of " + owner(path))
                : Finding.warn("folder", folder + " is open to other users (" + mode + ")", "chmod 700 " + folder);
    }

    private static String owner(Path path) {
        try {
            return Files.getOwner(path).getName();
        } catch (IOException e) {
            return "its owner";
        }
    }

    /// Returns the permissions, e.g. `rwxr-x---`; empty if the file system has none.
    static String mode(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    private Finding fileSystem(FileStore disk) {
        String type = disk.type().toLowerCase(Locale.ROOT);
        if (type.matches(NETWORK)) {
            return Finding.fail("file system", type + ": a network file system loses locks, and SQLite data with them",
                    "put --data on a local disk, or use --database");
        }
        if (type.equals("btrfs") && !isWrittenInPlace(existing())) {
            return Finding.warn("file system", "btrfs: a full disk ends the process, because files are copied on write",
                    "before the first start: mkdir -p " + folder + " && chattr +C " + folder);
        }
        if (type.matches(LAYERED)) {
            return Finding.warn("file system", type + ": locks are not seen through another mount of the same files",
                    "use the store through one mount, on a disk or a volume");
        }
        return type.matches(TEMPORARY)
                ? Finding.warn("file system", type + ": its files end with the machine or the container",
                        "put --data on a disk or a volume")
                : Finding.ok("file system", type);
    }

    /// Returns true if lsattr is installed and shows that new files in a folder are not copied on write.
    private static boolean isWrittenInPlace(Path folder) {
        try {
            Process lsattr = new ProcessBuilder("lsattr", "-d", folder.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD).start();
            String line = new String(lsattr.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return line.split(" ", 2)[0].contains("C");
        } catch (IOException e) {
            return false;
        }
    }

    private Finding space(FileStore disk) throws IOException {
        long free = disk.getUsableSpace();
        String text = free / MIB + " MiB free";
        String advice = "free some space, or choose another disk with --data";
        if (free < LEAST_FREE) {
            return Finding.fail("disk", text, advice);
        }
        // The kept copy of the store, and the log with the rows of a backup of the same size.
        long restore = 2 * SqliteFile.in(folder).toFile().length();
        return free < Math.max(ENOUGH_FREE, restore)
                ? Finding.warn("disk", text + "; a restore needs twice as much as the store has, " + restore / MIB
                        + " MiB", advice)
                : Finding.ok("disk", text);
    }

    private Finding store() throws IOException {
        StoreFiles.inspect(SqliteFile.in(folder));
        StoreFiles.requireWritable(folder);
        String user = server.map(owner -> "; in use by " + owner).orElse("");
        if (!SqliteFile.exists(folder)) {
            return Finding.ok("store", "there is none yet; the first start makes it");
        }
        Path file = SqliteFile.in(folder);
        if (Files.getLastModifiedTime(file).toInstant().isAfter(now.plus(CLOCK_TOLERANCE))) {
            return Finding.warn("store", file + " was changed later than now", "set the clock of this machine");
        }
        SqliteInspection state = SqliteInspection.of(folder, SqliteInspection.DEADLINE);
        String size = state.bytes() / MIB + " MiB, log " + state.logBytes() / MIB + " MiB, " + state.checked() + user;
        return state.bytes() == 0
                ? Finding.ok("store", "empty")
                : schema("store", state.schema(), migrate, size);
    }

    /// Returns the finding for the version of a schema that this program knows.
    static Finding schema(String check, int schema, SchemaPolicy migrate, String rest) {
        String text = "schema version " + schema + ", " + rest;
        if (schema >= Migrations.LATEST) {
            return Finding.ok(check, text);
        }
        return migrate == SchemaPolicy.CHECK
                ? Finding.fail(check, text + "; this petstore needs version " + Migrations.LATEST,
                        "start with --migrate auto")
                : Finding.ok(check, text + "; the next start makes it version " + Migrations.LATEST);
    }
}
