package petstore.cli.doctor;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import petstore.http.server.ListenFailure;
import petstore.http.server.ServerSettings;
import petstore.http.server.tls.CertificateFiles;
import petstore.http.server.tls.TlsFiles;
import petstore.store.sqlite.FolderLock;

/// Checks of the listeners: their ports and their certificate.
///
/// @param server the process that serves the chosen store; absent if none does, or for a database
/// @param isUnknown true if it cannot be known which process serves the store: for a database, or for the folder of another user
record ServerChecks(ServerSettings settings, Optional<FolderLock.Owner> server, boolean isUnknown) {

    private static final Duration TIME_TO_RENEW = Duration.ofDays(21);
    private static final String API = "api port";
    private static final String ADMIN = "admin port";
    private static final String OPEN_TO_OTHERS = ".{6}(r|.w).*";

    List<Check> ports() {
        return List.of(new Check(API, () -> List.of(port(API, "--", settings.host(), settings.port()))),
                new Check(ADMIN, () -> List.of(port(ADMIN, "--admin-", settings.adminHost(), settings.adminPort()))));
    }

    private Finding port(String check, String prefix, String host, int port) {
        String address = ServerSettings.authority(host, port);
        String choose = "choose another with " + prefix + "port";
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
            return Finding.ok(check, port == 0 ? "a free one" : address + " is free");
        } catch (UnknownHostException e) {
            return Finding.fail(check, "the host " + host + " is unknown",
                    "give an address of this machine with " + prefix + "host");
        } catch (BindException e) {
            return ListenFailure.isPortInUse(e)
                    ? inUse(check, address, PortUser.find(host, port), choose)
                    : Finding.fail(check, address + " cannot be listened on: this machine does not have the address,"
                            + " or the port needs privileges", choose + " and " + prefix + "host");
        } catch (IOException e) {
            return Finding.fail(check, address + " cannot be listened on: " + e.getMessage(), choose);
        }
    }

    private Finding inUse(String check, String address, PortUser user, String choose) {
        String text = address + " is in use by " + user;
        Optional<String> process = user.process().map(ListeningProcess::id);
        boolean isOwn = server.filter(owner -> owner.process().equals(process.orElse(owner.process()))).isPresent();
        if (!user.isPetstore() && isOwn && process.isPresent()) {
            return Finding.fail(check, address + " is in use by the petstore that serves this folder (process "
                    + process.get() + "), which does not answer", "see its log, and restart it");
        }
        if (!user.isPetstore() || !(isUnknown || isOwn)) {
            return Finding.fail(check, text + (user.isPetstore() ? " and serves another store" : ""),
                    "stop that one, or " + choose);
        }
        if (user.isReady() && user.isAdmin() == check.equals(API)) {
            return Finding.fail(check, text + (user.isAdmin() ? ", for its admin listener" : ", for its API"), choose);
        }
        return user.isReady()
                ? Finding.ok(check, text)
                : Finding.warn(check, text, "its log has the reason");
    }

    static List<Finding> tls(TlsFiles files, Instant now) {
        return List.of(validity(new CertificateFiles(files).validity(), now),
                FolderChecks.mode(files.key()).matches(OPEN_TO_OTHERS)
                        ? Finding.warn("tls key", files.key() + " can be read by every user",
                                "chmod o-rw " + files.key())
                        : Finding.ok("tls key", files.key() + " belongs to " + files.certificate()));
    }

    private static Finding validity(CertificateFiles.Validity certificate, Instant now) {
        String check = "tls certificate";
        String renew = "renew it; a running server takes the new files by itself";
        if (now.isBefore(certificate.from())) {
            return Finding.fail(check, "not valid before " + certificate.from(), "see that the clock is right");
        }
        if (now.isAfter(certificate.until())) {
            return Finding.fail(check, "expired on " + certificate.until(), renew);
        }
        String text = "valid until " + certificate.until();
        return now.plus(TIME_TO_RENEW).isAfter(certificate.until())
                ? Finding.warn(check, text, renew)
                : Finding.ok(check, text);
    }
}
