import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { load } from "@proffer/cli";
import { connect, findRepeats, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Customer } from "./database.ts";

// The company register of the test: a real server, which checks the key.
const register = createServer(({ url, headers }, response) => {
  const isKnown = url === "/companies/Acme" && headers.authorization === "Bearer test-key";
  response.writeHead(isKnown ? 200 : 404).end(JSON.stringify({ employees: 250 }));
});

let client: TestClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => register.listen(0, "127.0.0.1", resolve));
  const { port } = register.address() as AddressInfo;
  Object.assign(process.env, {
    CRM_DB: ":memory:",
    REGISTER_KEY: "test-key",
    REGISTER_URL: `http://127.0.0.1:${port}/`,
  });
  client = await connect(await load(new URL("./mcp.ts", import.meta.url)), { answers: [{ sure: true }] });
});

afterAll(async () => {
  await client.close();
  register.close();
  for (const name of ["CRM_DB", "REGISTER_KEY", "REGISTER_URL"]) delete process.env[name];
});

const add = async (name: string, city = "Lisbon") =>
  (await client.call("addCustomer", { name, city })).structuredContent as { id: number } & Omit<Customer, "since">;

it("adds, finds and lists customers", async () => {
  const { id } = await add("Acme");
  await add("Bolt", "Oslo");
  const found = (await client.call("findCustomer", { id })).structuredContent;
  expect(found).toEqual({ id, name: "Acme", city: "Lisbon", since: expect.stringMatching(/^\d{4}-.*Z$/) });
  expect((await client.call("listCustomers", { city: "Oslo" })).structuredContent).toMatchObject([{ name: "Bolt" }]);
  expect(JSON.stringify(await client.read(`crm://customers/${id}`))).toContain("Acme");
});

it("tells the model what the application tells its users, and nothing else", async () => {
  const unknown = await client.call("findCustomer", { id: 4711 });
  expect(unknown).toMatchObject({ isError: true, content: [{ text: "There is no customer 4711." }] });
  expect(await client.call("findCustomer", { id: 0 })).toMatchObject({ isError: true });
});

it("asks the register with the secret", async () => {
  const [{ id }] = (await client.call("listCustomers", { city: "Lisbon" })).structuredContent as [Customer];
  expect((await client.call("countEmployees", { id })).structuredContent).toBe(250);
});

it("removes a customer once, after a question", async () => {
  const { id } = await add("Gone");
  const { content } = await client.call("removeCustomer", { id });
  expect(content).toMatchObject([{ text: "Gone was removed." }]);
  expect(await client.call("findCustomer", { id })).toMatchObject({ isError: true });
  const { id: other } = await add("Other");
  const server = await load(new URL("./mcp.ts", import.meta.url));
  const options = { input: { id: other }, answers: [{ sure: true }], effects: () => [] };
  expect(await findRepeats(server, "removeCustomer", options)).toEqual([]);
});
