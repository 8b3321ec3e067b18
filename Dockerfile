# The service with its own Java runtime. It writes only to /data, and the import of a stream to /tmp, so the rest may be read-only:
#   docker run --read-only --tmpfs /tmp -v petstore:/data -p 127.0.0.1:8080:8080 petstore

FROM maven:3.9-eclipse-temurin-25 AS build
WORKDIR /build
COPY . .
RUN mvn -B -ntp -Pruntime -DskipTests package \
    && mkdir /opt/petstore /data \
    && tar -xzf target/petstore-*-linux-x86_64.tar.gz -C /opt/petstore --strip-components=1

FROM debian:13-slim
COPY --from=build /opt/petstore /opt/petstore
# For sslrootcert=system.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build --chown=10001:10001 --chmod=700 /data /data
RUN ln -s /opt/petstore/petstore /usr/local/bin/petstore
USER 10001:10001
ENV PETSTORE_HOST=0.0.0.0 PETSTORE_DATA=/data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# A start may upgrade the schema, or move a large log into the database. The check cannot share the port of an agent of the service.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10m CMD ["env", "-u", "PETSTORE_JAVA_OPTIONS", "petstore", "healthcheck"]
# The launcher replaces itself with Java, so that Java is process 1 and gets the signals.
ENTRYPOINT ["petstore"]
CMD ["serve"]
