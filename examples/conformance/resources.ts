import { Buffer } from "node:buffer";
import { defineResource } from "proffer";
import { png } from "./media.ts";

export const resources = [
  defineResource({
    uri: "test://static-text",
    name: "Static text",
    mimeType: "text/plain",
    content: "This is the content of the static text resource.",
  }),
  defineResource({
    uri: "test://static-binary",
    name: "Static picture",
    mimeType: "image/png",
    content: Buffer.from(png, "base64"),
  }),
  defineResource({
    uri: "test://watched-resource",
    name: "Watched text",
    mimeType: "text/plain",
    read: () => "This is the content of the watched resource.",
  }),
  defineResource({
    uri: "test://template/{id}/data",
    name: "Data by id",
    mimeType: "application/json",
    read: ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  }),
];
