import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import * as net from "node:net";
import { isIPv4 } from "node:net";
import { StreamResponse, type Task, type TaskPushNotificationConfig } from "@a2a-js/sdk";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { pushNotifications } from "../src/index.js";
import { isPublicAddress } from "../src/push/public-address.js";
import { publicFetch } from "../src/push/public-fetch.js";
import { bindings, clientOf, errorOf, said, send, text } from "./support/agent.js";
import { openDesk } from "./support/open-desk.js";
import { secret } from "./support/secret.js";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of notifications, which refuses the first ones. */
async function receiver(refused = 0) {
  const received: Received[] = [];
  let requests = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const isRefused = requests++ < refused;
      if (!isRefused) received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      response.writeHead(isRefused ? 503 : 200).end();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const config = (taskId: string, url: string, more: object = {}): TaskPushNotificationConfig => ({
  tenant: "",
  id: "",
  taskId,
  url,
  token: "",
  authentication: undefined,
  ...more,
});

const taskOf = ({ body }: Received): Task => {
  const { payload } = StreamResponse.fromJSON(JSON.parse(body));
  expect(payload?.$case).toBe("task");
  return payload?.value as Task;
};

const local = { secrets: [secret], allow: ({ hostname }: URL) => hostname === "127.0.0.1", retry: { next: () => 10 } };

describe.each(bindings)("push notifications over %s", (binding) => {
  it("tell each state, signed, in order, until they are accepted", async () => {
    await using to = await receiver(2);
    await using open = await openDesk({ push: pushNotifications(local) });
    const client = await clientOf(open.url, binding);
    const configuration = {
      acceptedOutputModes: [],
      returnImmediately: false,
      taskPushNotificationConfig: config("", to.url, { token: "of-the-task" }),
    };
    const asked = (await client.sendMessage(send([text("Rome")], {}, { configuration }))) as Task;
    await expect.poll(() => to.received.length, { timeout: 10_000 }).toBe(1);
    await client.sendMessage(send([text("yes")], { taskId: asked.id }));
    await expect.poll(() => to.received.length, { timeout: 10_000 }).toBe(2);

    const [first, last] = to.received.map(taskOf);
    expect(first).toEqual(asked);
    expect(last).toEqual(await client.getTask({ id: asked.id, tenant: "" }));
    expect(said(last as Task).data).toEqual([{ ticket: "T-Rome", price: 99 }]);
    for (const { headers, body } of to.received) {
      expect(headers).toMatchObject({
        "content-type": "application/a2a+json",
        "x-a2a-notification-token": "of-the-task",
      });
      new Webhook(secret).verify(body, headers as Record<string, string>);
    }
  });

  it("are configured, shown without credentials, and ended", async () => {
    await using to = await receiver();
    await using open = await openDesk({ push: pushNotifications(local) });
    const client = await clientOf(open.url, binding);
    const { id: taskId } = (await client.sendMessage(send([text("Rome")]))) as Task;
    const authentication = { scheme: "Bearer", credentials: "of-the-receiver" };

    const added = await client.createTaskPushNotificationConfig(config(taskId, to.url, { id: "mine", authentication }));
    expect(added).toMatchObject({
      id: "mine",
      taskId,
      url: to.url,
      authentication: { scheme: "Bearer", credentials: "" },
    });
    expect(
      await client.createTaskPushNotificationConfig(config(taskId, to.url, { id: "mine", authentication })),
    ).toEqual(added);
    expect(await client.getTaskPushNotificationConfig({ taskId, id: "mine", tenant: "" })).toEqual(added);
    const page = { taskId, tenant: "", pageSize: 0, pageToken: "" };
    expect((await client.listTaskPushNotificationConfig(page)).configs).toEqual([added]);
    await expect.poll(() => to.received.length, { timeout: 10_000 }).toBe(1);
    expect(to.received[0]?.headers.authorization).toBe("Bearer of-the-receiver");

    await client.deleteTaskPushNotificationConfig({ taskId, id: "mine", tenant: "" });
    await client.deleteTaskPushNotificationConfig({ taskId, id: "mine", tenant: "" });
    expect((await client.listTaskPushNotificationConfig(page)).configs).toEqual([]);
    const gone = client.getTaskPushNotificationConfig({ taskId, id: "mine", tenant: "" });
    expect(await errorOf(gone)).toMatchObject({ code: "PUSH_CONFIG_UNKNOWN" });
    await client.sendMessage(send([text("no")], { taskId }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(to.received).toHaveLength(1);
  });

  it("do not go to private networks, and such a message begins no task", async () => {
    await using open = await openDesk({ push: pushNotifications({ secrets: [secret] }) });
    const client = await clientOf(open.url, binding);
    const { id: taskId } = (await client.sendMessage(send([text("Rome")]))) as Task;
    const hostile = [
      "http://127.0.0.1/",
      "https://127.0.0.1/",
      "https://localhost/",
      "https://2130706433/",
      "https://0x7f.1/",
      "https://[::1]/",
      "https://[::ffff:10.0.0.1]/",
      "https://169.254.169.254/latest/meta-data/",
      "https://10.1.2.3/",
      "https://192.168.1.1/",
      "https://100.64.0.1/",
      "http://1.1.1.1/",
      "https://user:password@1.1.1.1/",
      "file:///etc/passwd",
      "nonsense",
    ];

    for (const url of hostile) {
      const added = client.createTaskPushNotificationConfig(config(taskId, url));
      expect(await errorOf(added)).toMatchObject({ name: "RequestMalformedError", code: "PUSH_URL_REFUSED" });
      const configuration = {
        acceptedOutputModes: [],
        returnImmediately: true,
        taskPushNotificationConfig: config("", url),
      };
      expect(await errorOf(client.sendMessage(send([text("Oslo")], {}, { configuration })))).toMatchObject({
        code: "PUSH_URL_REFUSED",
      });
    }
    const odd = client.createTaskPushNotificationConfig(config(taskId, "https://1.1.1.1/", { token: "a\r\nhost: b" }));
    expect(await errorOf(odd)).toMatchObject({ code: "BODY_INVALID" });
    expect((await open.runtime.runs()).runs).toHaveLength(1);
  });

  it("of a task are ten at most", async () => {
    await using open = await openDesk({ push: pushNotifications({ secrets: [secret], allow: () => true }) });
    const client = await clientOf(open.url, binding);
    const { id: taskId } = (await client.sendMessage(send([text("Rome")]))) as Task;

    for (let number = 0; number < 10; number++)
      await client.createTaskPushNotificationConfig(config(taskId, `http://127.0.0.1:9/${number}`));

    expect(
      await errorOf(client.createTaskPushNotificationConfig(config(taskId, "http://127.0.0.1:9/10"))),
    ).toMatchObject({
      code: "PUSH_CONFIGS_FULL",
    });
  });
});

it("refuses push notifications where there are none", async () => {
  await using open = await openDesk();
  const configuration = {
    acceptedOutputModes: [],
    returnImmediately: true,
    taskPushNotificationConfig: config("", "https://1.1.1.1/"),
  };
  for (const binding of bindings) {
    const client = await clientOf(open.url, binding);
    const error = await errorOf(client.sendMessage(send([text("Rome")], {}, { configuration })));
    expect(error).toMatchObject({ name: "PushNotificationNotSupportedError", code: "PUSH_NOTIFICATION_NOT_SUPPORTED" });
  }
  expect((await open.runtime.runs()).runs).toEqual([]);
});

it("does not connect to a private address, whatever its name was when it was stored", async () => {
  await using to = await receiver();
  const { port } = new URL(to.url);

  for (const host of ["127.0.0.1", "localhost", "[::1]"])
    await expect(publicFetch(`http://${host}:${port}/`, { method: "POST", body: "{}" })).rejects.toMatchObject({
      code: "WEBHOOK_FAILED",
    });

  expect(to.received).toEqual([]);
});

it("knows what is on the internet", () => {
  const is = (address: string) => isPublicAddress(address, net);

  expect(["1.1.1.1", "8.8.8.8", "172.32.0.1", "2606:4700:4700::1111"].map(is)).toEqual([true, true, true, true]);
  const inside =
    "0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.168.0.1 198.18.0.1 224.0.0.1 255.255.255.255";
  const inside6 =
    ":: ::1 fc00::1 fd00:ec2::254 fe80::1 ff02::1 ::ffff:127.0.0.1 64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 nonsense";
  expect(inside.split(" ").filter((address) => isIPv4(address) && is(address))).toEqual([]);
  expect(inside6.split(" ").filter(is)).toEqual([]);
});
