import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findPlaces } from "./places.ts";
import { FIXTURES } from "./temporary-home.ts";

const project = join(FIXTURES, "project");

describe("an installation", () => {
  it("is in the user's home by default, with the logs inside", () => {
    const home = join(homedir(), ".algocline");
    for (const env of [{}, { ALC_HOME: "", ALC_LOG_DIR: "" }]) {
      expect(findPlaces(env, "/")).toEqual({ home, logs: join(home, "logs"), project: undefined });
    }
  });

  it("is configured by environment variables", () => {
    expect(findPlaces({ ALC_HOME: "/a", ALC_LOG_DIR: "/b", ALC_PROJECT_ROOT: project }, "/")).toEqual({
      home: "/a",
      logs: "/b",
      project,
    });
  });

  it("uses the nearest project above, unless ALC_PROJECT_ROOT exists", () => {
    expect(findPlaces({}, join(project, "panel")).project).toBe(project);
    expect(findPlaces({ ALC_PROJECT_ROOT: "/no/such/folder" }, project).project).toBe(project);
  });
});
