import { type Message, ReceiveMessageCommand, type SendMessageCommandInput, SQSClient } from "@aws-sdk/client-sqs";
import { HttpResponse } from "@smithy/protocol-http";
import { accepts, gives, refuses } from "../expect.ts";

const recorded = {
  Messages: [
    {
      MessageId: "m1",
      Body: "Hi",
      MD5OfBody: "c1a5298f939e87e8f962a5edfc206918",
      Attributes: { SentTimestamp: "0" },
      MessageAttributes: { key: { DataType: "Binary", BinaryValue: "AQI=" } },
    },
  ],
};

/** Receives messages. */
export async function receive(url: string): Promise<Message[]> {
  const body = new TextEncoder().encode(JSON.stringify(recorded));
  const response = new HttpResponse({
    statusCode: 200,
    headers: { "content-type": "application/x-amz-json-1.0" },
    body,
  });
  const client = new SQSClient({
    region: "eu-west-1",
    credentials: { accessKeyId: "A", secretAccessKey: "SECRET" },
    requestHandler: { handle: async () => ({ response }) },
  });
  const { Messages } = await client.send(new ReceiveMessageCommand({ QueueUrl: url }));
  return Messages ?? [];
}
gives(
  receive,
  ["https://sqs.eu-west-1.amazonaws.com/1/q"],
  [
    {
      MessageId: "m1",
      Body: "Hi",
      MD5OfBody: "c1a5298f939e87e8f962a5edfc206918",
      Attributes: { SentTimestamp: "0" },
      MessageAttributes: { key: { DataType: "Binary", BinaryValue: "AQI=" } },
    },
  ],
);

/** Prepares a message. */
export function prepare(input: SendMessageCommandInput): string {
  return `${input.QueueUrl} ${input.MessageBody}`;
}
accepts(prepare, [
  { QueueUrl: "q", MessageBody: "Hi", MessageAttributes: { a: { DataType: "String", StringValue: "x" } } },
]);
refuses(
  prepare,
  [{ QueueUrl: "q" }],
  [{ MessageBody: "Hi" }],
  [{ QueueUrl: "q", MessageBody: "Hi", MessageAttributes: { a: {} } }],
);
