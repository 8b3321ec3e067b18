package petstore.cli.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;

import petstore.SafeText;
import petstore.store.Migrations;
import petstore.store.sqlite.FolderLock;
import petstore.store.sqlite.SqliteFile;
import petstore.store.sqlite.SqliteInspection;
import petstore.store.sqlite.StoreFiles;

/// Checks of the folder of an embedded store, which open nothing for writing.
record FolderChecks(Path folder) {

    private static final long MIB = 1 << 20;
    private static final long LEAST_FREE = 64 * MIB;
    private static final long ENOUGH_FREE = 1024 * MIB;
    private static final String NETWORK = "nfs.*|cifs|smb.*|fuse\\.sshfs|afs|ceph|.*glusterfs|lustre|ncpfs|9p|vboxsf|drvfs";
    private static final String TEMPORARY = "tmpfs|ramfs";
    /// Locks of one mount are not seen through another mount of the same files.
    private static final String LAYERED = "fuse.*|overlay|aufs";

    FolderChecks {
        folder = folder.toAbsolutePath().normalize();
    }

    List<Check> all() {
        return List.of(Check.of("folder", this::rights), Check.of("file system", this::fileSystem),
                Check.of("disk", this::space), Check.of("store", this::store));
    }

    /// Returns the folder, or the first one above it that exists.
    private Path existing() {
        Path path = folder;
        while (Files.notExists(path) && path.getParent() != null) {
            path = path.getParent();
        }
        return path;
    }

    /// Returns the permissions, e.g. `rwxr-x---`; empty for a missing file, and if the file system has none.
    static String mode(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    private Finding rights() {
        if (Files.notExists(folder)) {
            return Finding.ok(folder + " does not exist yet");
        }
        String mode = mode(folder);
        return mode.endsWith("------") || mode.isEmpty()
                ? Finding.ok(folder.toString())
                : Finding.warn(folder + " is open to other users (" + mode + ")",
                        "chmod 700 " + SafeText.word(folder.toString()));
    }

    private Finding fileSystem() {
        String type;
        try {
            type = Files.getFileStore(existing()).type().toLowerCase(Locale.ROOT);
        } catch (IOException e) {
            // E.g. in a chroot, whose root is no mount.
            return Finding.warn("its type is unknown", "see that it is a local disk");
        }
        if (type.matches(NETWORK)) {
            return Finding.fail(type + ": a network file system loses locks, and SQLite data with them",
                    "put --data on a local disk, or use --database");
        }
        if (type.equals("btrfs")) {
            String word = SafeText.word(folder.toString());
            return Finding.warn("btrfs: a full disk ends the process, if files are copied on write",
                    "before the first start: mkdir -p " + word + " && chattr +C " + word);
        }
        if (type.matches(LAYERED)) {
            return Finding.warn(type + ": locks are not seen through another mount of the same files",
                    "use the store through one mount, on a disk or a volume");
        }
        return type.matches(TEMPORARY)
                ? Finding.warn(type + ": its files end with the machine or the container",
                        "put --data on a disk or a volume")
                : Finding.ok(type);
    }

    private Finding space() {
        long free = existing().toFile().getUsableSpace();
        String text = free / MIB + " MiB free";
        String advice = "free some space, or choose another disk with --data";
        if (free < LEAST_FREE) {
            return Finding.fail(text, advice);
        }
        // The kept copy of the store, and the log with the rows of a backup of the same size.
        long restore = 2 * SqliteFile.in(folder).toFile().length();
        return free < Math.max(ENOUGH_FREE, restore)
                ? Finding.warn(text + "; a restore needs twice as much as the store has, " + restore / MIB + " MiB",
                        advice)
                : Finding.ok(text);
    }

    private Finding store() {
        StoreFiles.requireWritable(folder);
        if (!SqliteFile.exists(folder)) {
            return Finding.ok("there is none yet");
        }
        SqliteInspection state = SqliteInspection.of(folder, SqliteInspection.DEADLINE);
        return Finding.ok(schema(state.schema()) + ", " + state.bytes() / MIB + " MiB, log " + state.logBytes() / MIB
                + " MiB, " + state.checked()
                + FolderLock.owner(folder).map(owner -> "; in use by " + owner).orElse(""));
    }

    /// Returns the text for a schema that is not newer than this program. Once upgraded, a store cannot go back.
    static String schema(int version) {
        return "schema version " + version
                + (version < Migrations.LATEST ? ", which --migrate auto makes " + Migrations.LATEST : "");
    }
}
