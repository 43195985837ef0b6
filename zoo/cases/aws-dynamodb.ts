import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  type GetItemCommandOutput,
  ListTablesCommand,
  type ListTablesCommandOutput,
} from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { HttpResponse } from "@smithy/protocol-http";
import { accepts, gives, refuses } from "../expect.ts";

/** A client whose requests are answered with a recorded response. */
function client(body: unknown, statusCode = 200): DynamoDBClient {
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "r1" };
  const response = new HttpResponse({ statusCode, headers, body: new TextEncoder().encode(JSON.stringify(body)) });
  return new DynamoDBClient({
    region: "eu-west-1",
    credentials: { accessKeyId: "A", secretAccessKey: "SECRET" },
    maxAttempts: 1,
    requestHandler: { handle: async () => ({ response }) },
  });
}

/** Gets an item. */
export async function get(
  input: GetItemCommandInput,
): Promise<Pick<GetItemCommandOutput, "Item" | "ConsumedCapacity">> {
  const { Item, ConsumedCapacity } = await client({
    Item: { id: { S: "1" }, n: { N: "5" }, b: { B: "AQI=" }, l: { L: [{ NULL: true }] } },
  }).send(new GetItemCommand(input));
  return { Item, ConsumedCapacity };
}
accepts(get, [{ TableName: "t", Key: { id: { S: "1" } }, ConsistentRead: true }]);
refuses(get, [{ TableName: "t" }], [{ Key: { id: { S: "1" } } }], [{ TableName: "t", Key: { id: { S: 1 } } }]);
gives(get, [{ TableName: "t", Key: { id: { S: "1" } } }], {
  Item: { id: { S: "1" }, n: { N: "5" }, b: { B: "AQI=" }, l: { L: [{ NULL: true }] } },
});

/** Lists tables. */
export async function tables(limit: number): Promise<ListTablesCommandOutput> {
  return client({ TableNames: ["t"] }).send(new ListTablesCommand({ Limit: limit }));
}
gives(tables, [5], {
  $metadata: { httpStatusCode: 200, requestId: "r1", attempts: 1, totalRetryDelay: 0 },
  TableNames: ["t"],
});

/** Reads an item. */
export function read(item: Record<string, AttributeValue.SMember | AttributeValue.NMember>): Record<string, unknown> {
  return unmarshall(item);
}
accepts(read, [{ a: { S: "x" }, b: { N: "5" } }]);
gives(read, [{ a: { S: "x" }, b: { N: "5" } }], { a: "x", b: 5 });
refuses(read, [{ a: { S: 5 } }], [{ a: { Q: "x" } }]);

/** Writes an item. */
export function write(name: string, sizes: Set<number>): Record<string, AttributeValue> {
  return marshall({ name, sizes, gone: null });
}
gives(write, ["A", new Set([1, 2])], { name: { S: "A" }, sizes: { NS: ["1", "2"] }, gone: { NULL: true } });

/** Explains why a write failed. */
export async function explain(
  table: string,
): Promise<{ error: ConditionalCheckFailedException | undefined; attempt: PromiseSettledResult<unknown> }> {
  const body = {
    __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
    message: "no",
    Item: { token: { S: "SECRET" } },
  };
  const [attempt] = await Promise.allSettled([
    client(body, 400).send(new GetItemCommand({ TableName: table, Key: {} })),
  ]);
  const reason = attempt.status === "rejected" ? attempt.reason : undefined;
  return { error: reason instanceof ConditionalCheckFailedException ? reason : undefined, attempt };
}
gives(explain, ["t"], {
  error: { name: "ConditionalCheckFailedException", message: "no" },
  attempt: { status: "rejected", reason: { name: "ConditionalCheckFailedException", message: "no" } },
});
