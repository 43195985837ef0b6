import {
  type APIEmbed,
  type APIMessageTopLevelComponent,
  type APIUser,
  ChannelType,
  type RESTPostAPIChannelMessageJSONBody,
} from "discord-api-types/v10";
import { accepts, cannotReturn, refuses, returns } from "../expect.ts";

/** Sends a message. */
export async function send(body: RESTPostAPIChannelMessageJSONBody): Promise<Pick<APIUser, "id" | "username">> {
  throw new Error(String(body.content));
}
accepts(
  send,
  [{ content: "Hi" }],
  [{ embeds: [{ title: "A", color: 5, fields: [{ name: "n", value: "v" }] }], flags: 64, nonce: 5 }],
  [{ components: [{ type: 1, components: [{ type: 2, style: 5, label: "Open", url: "https://example.org" }] }] }],
);
refuses(send, [{ content: 5 }], [{ embeds: [{ fields: [{ name: "n" }] }] }], [{ components: [{ type: 99 }] }]);
returns(send, { id: "1", username: "a" });

/** Builds an embed. */
export const embed = (title: string): APIEmbed => ({ title });
returns(embed, { title: "A" }, { author: { name: "a" }, timestamp: "2026-01-01T00:00:00Z" });
cannotReturn(embed, { color: "red" });

/** Creates a channel. */
export function create(
  name: string,
  type: ChannelType.GuildText | ChannelType.GuildVoice = ChannelType.GuildText,
): void {
  throw new Error(name + type);
}
accepts(create, ["a"], ["a", ChannelType.GuildVoice]);
refuses(create, ["a", 99], ["a", "GuildText"]);

/** Checks components. */
export function check(components: APIMessageTopLevelComponent[]): number {
  return components.length;
}
accepts(
  check,
  [[]],
  [
    [
      { type: 10, content: "Hi" },
      { type: 14, divider: true },
    ],
  ],
);
refuses(check, [[{ type: 10 }]], [[{ content: "Hi" }]]);
