import type { Commands } from "./commands.ts";
import { fieldsOf } from "./fields.ts";

/** Settings of Redis with which tasks and sessions can be lost. An ACL or a provider may forbid to read them. */
export async function adviceOn(commands: Commands): Promise<readonly string[]> {
  const read = async (name: string) => {
    try {
      return fieldsOf(await commands.run(undefined, ["CONFIG", "GET", name]))[name];
    } catch {
      return undefined;
    }
  };
  const [policy, appendOnly, save] = await Promise.all([read("maxmemory-policy"), read("appendonly"), read("save")]);
  const advice: string[] = [];
  if (policy !== undefined && policy !== "noeviction") {
    advice.push(
      `Redis removes data when its memory is full (maxmemory-policy ${policy}): tasks and sessions would vanish. Set it to noeviction.`,
    );
  }
  if (appendOnly === "no" && save === "") {
    advice.push("Redis does not save its data: a restart loses all tasks and sessions. Set appendonly to yes.");
  }
  return advice;
}
