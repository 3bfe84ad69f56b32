import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.FindCoordinatorRequest;
import org.apache.kafka.common.requests.FindCoordinatorResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatRequest;
import org.apache.kafka.common.requests.StreamsGroupHeartbeatResponse;

/**
 * Live members of a streams group, until killed: they heartbeat and own what they are given, and process nothing.
 *
 * The topology has one subtopology per topic; with `store` there is one more over the first, so that there can be standby
 * tasks. Arguments: a file of client properties, group, topics with commas between, how many, and `store` or `stateless`.
 * Prints `ready` when all have what they were given.
 */
public class StreamsMembers {
    private static final int TRIES = 100;
    private static final int PAUSE_MS = 300;
    private static final int REBALANCE_TIMEOUT_MS = 60000;

    private final String clientId;
    private final Socket coordinator;
    private final StreamsGroupHeartbeatRequestData heartbeat;
    private List active = Collections.EMPTY_LIST;
    private List standby = Collections.EMPTY_LIST;
    private List warmup = Collections.EMPTY_LIST;

    private StreamsMembers(String group, List subtopologies, String clientId, Socket coordinator) {
        this.clientId = clientId;
        this.coordinator = coordinator;
        this.heartbeat =
            new StreamsGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId(UUID.randomUUID().toString())
                .setMemberEpoch(0)
                .setProcessId(UUID.randomUUID().toString())
                .setRebalanceTimeoutMs(REBALANCE_TIMEOUT_MS)
                .setClientTags(Collections.EMPTY_LIST)
                .setTopology(new StreamsGroupHeartbeatRequestData.Topology().setEpoch(0).setSubtopologies(subtopologies));
    }

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.load(new FileInputStream(args[0]));
        String group = args[1];
        List members = new ArrayList();
        List subtopologies = subtopologies(group, args[2].split(","), args[4].equals("store"));
        for (int i = 0; i < Integer.parseInt(args[3]); i++) {
            Socket coordinator = find(properties.getProperty("bootstrap.servers"), group);
            members.add(new StreamsMembers(group, subtopologies, "client-" + i, coordinator));
        }
        boolean ready = false;
        while (true) {
            boolean settled = true;
            for (Object member : members) settled = ((StreamsMembers) member).beat() && settled;
            if (settled && !ready) System.out.println("ready");
            ready = ready || settled;
            Thread.sleep(PAUSE_MS);
        }
    }

    private static List subtopologies(String group, String[] topics, boolean store) {
        List made = new ArrayList();
        if (store) {
            StreamsGroupHeartbeatRequestData.TopicInfo changelog =
                new StreamsGroupHeartbeatRequestData.TopicInfo()
                    .setName(group + "-store-changelog")
                    .setReplicationFactor((short) 1);
            made.add(subtopology(0, topics[0]).setStateChangelogTopics(Collections.singletonList(changelog)));
        }
        for (int i = 0; i < topics.length; i++) made.add(subtopology(made.size(), topics[i]));
        return made;
    }

    private static StreamsGroupHeartbeatRequestData.Subtopology subtopology(int id, String topic) {
        return new StreamsGroupHeartbeatRequestData.Subtopology()
            .setSubtopologyId(String.valueOf(id))
            .setSourceTopics(Collections.singletonList(topic));
    }

    /** One heartbeat; whether the group has nothing more to give or to take. */
    private boolean beat() throws Exception {
        heartbeat.setActiveTasks(active).setStandbyTasks(standby).setWarmupTasks(warmup);
        StreamsGroupHeartbeatRequest request = new StreamsGroupHeartbeatRequest(heartbeat, (short) 0);
        StreamsGroupHeartbeatResponse response = (StreamsGroupHeartbeatResponse) ask(coordinator, request, clientId);
        StreamsGroupHeartbeatResponseData said = response.data();
        if (said.errorCode() != 0) throw new IllegalStateException(said.toString());
        heartbeat.setMemberEpoch(said.memberEpoch()).setTopology(null);
        boolean changed = said.activeTasks() != null;
        if (changed) {
            active = owned(said.activeTasks());
            standby = owned(said.standbyTasks());
            warmup = owned(said.warmupTasks());
        }
        return !changed && !active.isEmpty() && (said.status() == null || said.status().isEmpty());
    }

    private static List owned(List given) {
        List tasks = new ArrayList();
        for (Object each : given) {
            StreamsGroupHeartbeatResponseData.TaskIds ids = (StreamsGroupHeartbeatResponseData.TaskIds) each;
            tasks.add(
                new StreamsGroupHeartbeatRequestData.TaskIds()
                    .setSubtopologyId(ids.subtopologyId())
                    .setPartitions(ids.partitions()));
        }
        return tasks;
    }

    private static Socket find(String servers, String group) throws Exception {
        String[] first = servers.split(",")[0].split(":");
        Socket any = new Socket(first[0], Integer.parseInt(first[1]));
        try {
            for (int i = 0; i < TRIES; i++) {
                FindCoordinatorRequestData data =
                    new FindCoordinatorRequestData()
                        .setKeyType((byte) 0)
                        .setCoordinatorKeys(Collections.singletonList(group));
                AbstractRequest request = new FindCoordinatorRequest.Builder(data).build((short) 4);
                FindCoordinatorResponse said = (FindCoordinatorResponse) ask(any, request, group);
                FindCoordinatorResponseData.Coordinator found =
                    (FindCoordinatorResponseData.Coordinator) said.data().coordinators().get(0);
                if (found.errorCode() == 0) return new Socket(found.host(), found.port());
                Thread.sleep(PAUSE_MS);
            }
        } finally {
            any.close();
        }
        throw new IllegalStateException("no coordinator of " + group);
    }

    private static AbstractResponse ask(Socket broker, AbstractRequest request, String clientId) throws Exception {
        RequestHeader header = new RequestHeader(request.apiKey(), request.version(), clientId, 1);
        ByteBuffer sent = request.serializeWithHeader(header);
        DataOutputStream out = new DataOutputStream(broker.getOutputStream());
        out.writeInt(sent.remaining());
        out.write(sent.array(), sent.arrayOffset() + sent.position(), sent.remaining());
        out.flush();
        DataInputStream in = new DataInputStream(broker.getInputStream());
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return AbstractResponse.parseResponse(ByteBuffer.wrap(answer), header);
    }
}
