import { Readable } from "node:stream";
import { GetObjectCommand, type GetObjectCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { HttpResponse } from "@smithy/protocol-http";
import { gives } from "../expect.ts";

/** Downloads an object. */
export async function get(
  key: string,
): Promise<Pick<GetObjectCommandOutput, "ContentType" | "LastModified"> & { text?: string }> {
  const headers = { "content-type": "text/plain", "last-modified": "Thu, 01 Jan 1970 00:00:00 GMT" };
  const response = new HttpResponse({ statusCode: 200, headers, body: Readable.from([Buffer.from("Hi")]) });
  const client = new S3Client({
    region: "eu-west-1",
    credentials: { accessKeyId: "A", secretAccessKey: "SECRET" },
    requestHandler: { handle: async () => ({ response }) },
  });
  const { ContentType, LastModified, Body } = await client.send(new GetObjectCommand({ Bucket: "b", Key: key }));
  return { ContentType, LastModified, text: await Body?.transformToString() };
}
gives(get, ["k"], { ContentType: "text/plain", LastModified: "1970-01-01T00:00:00.000Z", text: "Hi" });
