package org.arrowfeed.hdfs;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.MiniDFSCluster;

/** Runs an HDFS cluster on 127.0.0.1 until its standard input ends. The argument is its directory. */
public final class MiniCluster {
    private MiniCluster() {}

    /** Prints two lines when the cluster is up: its address, and the address of WebHDFS. */
    public static void main(String[] arguments) throws IOException {
        File directory = new File(arguments[0]);
        Configuration configuration = new Configuration();
        configuration.set("dfs.permissions.enabled", "false");
        configuration.set("dfs.namenode.fs-limits.min-block-size", "1024");
        configuration.set("dfs.replication", "1");
        // Small blocks, so that a file of a few megabytes has several.
        configuration.set("dfs.blocksize", String.valueOf(1 << 20));
        configuration.set("dfs.webhdfs.enabled", "true");
        try (MiniDFSCluster cluster = new MiniDFSCluster.Builder(configuration, directory)
                .numDataNodes(1)
                .format(true)
                .build()) {
            cluster.waitActive();
            URI web = URI.create("http://" + cluster.getConfiguration(0).get("dfs.namenode.http-address"));
            System.out.println("hdfs://127.0.0.1:" + cluster.getNameNodePort());
            System.out.println("http://127.0.0.1:" + web.getPort());
            System.out.flush();
            while (System.in.read() != -1) {
                // The parent sends nothing; the end of its pipe ends the cluster.
            }
        }
        // Threads of the cluster that are not daemons would keep the process.
        System.exit(0);
    }
}
