import type {
  DeleteObjectsCommandInput,
  GetObjectCommandOutput,
  HeadObjectCommandOutput,
  ListObjectsV2CommandInput,
  ListObjectsV2CommandOutput,
  PutObjectCommandInput,
  Tag,
} from "@aws-sdk/client-s3";
import { accepts, cannotReturn, refused, refuses, returns } from "../expect.ts";

/** Lists objects. */
export async function list(input: ListObjectsV2CommandInput): Promise<ListObjectsV2CommandOutput> {
  throw new Error(input.Bucket);
}
accepts(
  list,
  [{ Bucket: "b" }],
  [{ Bucket: "b", MaxKeys: 5, Prefix: "a/", OptionalObjectAttributes: ["RestoreStatus"] }],
);
refuses(list, [{ Bucket: 5 }], [{ Bucket: "b", MaxKeys: "5" }], [{ Bucket: "b", EncodingType: "gzip" }]);
returns(list, {
  $metadata: { httpStatusCode: 200 },
  IsTruncated: false,
  Contents: [{ Key: "a", Size: 5, LastModified: new Date(0), StorageClass: "STANDARD" }],
});
cannotReturn(list, { $metadata: {}, Contents: [{ Key: 5 }] });

/** Deletes objects. */
export function remove(input: DeleteObjectsCommandInput): void {
  throw new Error(input.Bucket);
}
accepts(remove, [{ Bucket: "b", Delete: { Objects: [{ Key: "a", LastModifiedTime: new Date(0) }] } }]);
refuses(remove, [{ Bucket: "b", Delete: { Objects: [{ Key: 5 }] } }], [{ Bucket: "b", Delete: [] }]);

/** Shows the metadata of an object. */
export async function head(key: string): Promise<HeadObjectCommandOutput> {
  throw new Error(key);
}
returns(head, {
  $metadata: {},
  ContentLength: 5,
  LastModified: new Date(0),
  Metadata: { a: "b" },
  Expires: new Date(1),
});

/** Tags an object. */
export function tag(key: string, tags: Tag[]): void {
  throw new Error(key + tags.length);
}
accepts(tag, ["k", [{ Key: "a", Value: "b" }]], ["k", []]);
refuses(tag, ["k", [{ Key: "a", Value: 5 }]], ["k"]);

/** Uploads an object. */
export function put(input: PutObjectCommandInput): void {
  throw new Error(input.Bucket);
}
accepts(put, [{ Bucket: "b", Key: "k", Body: "Hi" }]);
refuses(put, [{ Bucket: "b", Key: "k", Body: 5 }]);

/** Uploads text. */
export function putText(input: Omit<PutObjectCommandInput, "Body">, text: string): void {
  throw new Error(input.Bucket + text);
}
accepts(putText, [{ Bucket: "b", Key: "k", ContentType: "text/plain", Expires: new Date(0) }, "Hi"]);
refuses(putText, [{ Bucket: "b", Key: 5 }, "Hi"], [{ Bucket: "b", Key: "k", ACL: 5 }, "Hi"]);

/** Downloads an object. */
export async function get(key: string): Promise<GetObjectCommandOutput> {
  throw new Error(key);
}
refused(get, "PF1102", "PF1104", "PF1105", "PF1106", "PF1108");
