import { create, fromBinary, type JsonObject, type MessageInitShape, toBinary, toJson } from "@bufbuild/protobuf";
import {
  type Duration,
  DurationSchema,
  FieldMaskSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type Struct,
  StructSchema,
  type Timestamp,
  TimestampSchema,
  timestampFromDate,
  type Value,
} from "@bufbuild/protobuf/wkt";
import { accepts, fails, gives, refuses } from "../expect.ts";

/** Shows a time as a message. */
export function at(time: Date): Timestamp {
  return fromBinary(TimestampSchema, toBinary(TimestampSchema, timestampFromDate(time)));
}
gives(at, [new Date(5_001)], { $typeName: "google.protobuf.Timestamp", seconds: "5", nanos: 1_000_000 });

/** Reads a duration. */
export async function lasts(
  duration: MessageInitShape<typeof DurationSchema>,
): Promise<Pick<Duration, "seconds" | "nanos">> {
  const { seconds, nanos } = create(DurationSchema, duration);
  return { seconds, nanos };
}
accepts(lasts, [{}], [{ seconds: 5n, nanos: 1 }]);
gives(lasts, [{ seconds: 5n }], { seconds: "5", nanos: 0 });
refuses(lasts, [{ seconds: true }], [{ hours: 5 }]);

/** Builds a value, which has a oneof. */
export function value(fields: string[]): Value["kind"] | undefined {
  return create(StructSchema, {
    fields: Object.fromEntries(fields.map((name) => [name, { kind: { case: "stringValue" as const, value: name } }])),
  }).fields.a?.kind;
}
gives(value, [["a"]], { case: "stringValue", value: "a" });
gives(value, [["b"]]);

/** Describes a file. The defaults of proto2 are on the prototype of a message, so JSON does not have them. */
export function describe(name: string): Pick<FileDescriptorProto, "name" | "messageType"> {
  const file = create(FileDescriptorProtoSchema, {
    name,
    messageType: [{ name: "A", field: [{ name: "f", number: 1 }] }],
  });
  return { name: file.name, messageType: file.messageType };
}
fails(describe, ["a.proto"], "visibility", "a.proto");

/** Converts a message. */
export function mask(paths: string[]): { json: unknown; struct: JsonObject } {
  const struct: Struct = create(StructSchema, { fields: { a: { kind: { case: "numberValue", value: 1 } } } });
  return {
    json: toJson(FieldMaskSchema, create(FieldMaskSchema, { paths })),
    struct: toJson(StructSchema, struct) as JsonObject,
  };
}
gives(mask, [["a", "b.c"]], { json: "a,b.c", struct: { a: 1 } });
