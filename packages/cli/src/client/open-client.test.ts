import { readdirSync } from "node:fs";
import { defineServer } from "proffer";
import { connect } from "proffer/testing";
import { expect, it } from "vitest";
import { REVISIONS, STATELESS_REVISIONS } from "./open-client.ts";

it("the revisions are those of the run-time, newest first", async () => {
  const folder = new URL("../../../proffer/src/protocol/revisions/", import.meta.url);
  const dates = readdirSync(folder).flatMap((name) => /^\d{4}-\d{2}-\d{2}(?=\.ts$)/.exec(name) ?? []);
  expect(REVISIONS).toEqual(dates.sort().reverse());
  const { opened } = await connect(defineServer({ name: "s", version: "1" }));
  expect(opened.supportedVersions).toEqual(STATELESS_REVISIONS);
});
