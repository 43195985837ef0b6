import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  resultFromTaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
import { defineServer, defineTool, field } from "proffer";
import { type HttpService, serveHttp } from "proffer/http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { MODERN, postModern } from "../http/http-client.ts";
import { DECLARED } from "./desk.ts";

const INFO = { name: "official", version: "1.0.0" };

const server = defineServer({
  name: "tasks",
  version: "1",
  log: () => {},
  tools: [
    defineTool({
      name: "move",
      task: { pollInterval: 20 },
      async handle(_, ctx) {
        const rooms = await ctx.step("pack", () => 5);
        const piano = await ctx.ask("Sell the piano?", { sell: field.boolean() });
        ctx.progress(1, 2);
        const sold = piano.action === "accept" && piano.content.sell;
        return `Moved ${rooms} rooms ${sold ? "without" : "with"} the piano, ${ctx.taskId === undefined ? "" : "in a task"}`;
      },
    }),
  ],
});

let service: HttpService;

beforeAll(async () => {
  service = await serveHttp(server, { port: 0 });
});

afterAll(() => service.close());

it("the client of ext-tasks 0.2.2 drives a task with a question to its end", async () => {
  const client = new Client(INFO, { capabilities: DECLARED as object, versionNegotiation: { mode: { pin: MODERN } } });
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url)));
  const sent: string[] = [];
  const asked: unknown[] = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: "proffer",
    v2RequestFraming: { protocolVersion: MODERN, clientInfo: INFO, clientCapabilities: DECLARED as never },
    // The client of 2.4.0 rejects a tool result that is a task, so the package sends requests by this function.
    rawDispatch: async (request) => {
      const message = { jsonrpc: "2.0", id: sent.length, ...(request as { method: string; params: object }) };
      sent.push(message.method);
      const { json } = await postModern(service.url, message as never);
      return json.error === undefined ? { kind: "result", result: json.result } : { kind: "error", error: json.error };
    },
    onInputRequest: createApplicationInputHandler({
      elicitation: (request) => {
        asked.push(request);
        return { action: "accept", content: { sell: false } };
      },
      sampling: () => expect.unreachable(),
      roots: () => expect.unreachable(),
    }),
  });
  const execution = await session.callTool("move", {});
  const { outcome } = await execution.settle();
  expect(resultFromTaskOutcome(outcome)).toMatchObject({
    content: [{ type: "text", text: "Moved 5 rooms with the piano, in a task" }],
  });
  expect(asked).toHaveLength(1);
  expect(sent).toEqual(expect.arrayContaining(["tools/call", "tasks/get", "tasks/update"]));
  await session.close();
  await client.close();
});
