import type {
  ChatPostMessageArguments,
  ConversationsHistoryArguments,
  KnownBlock,
  UsersInfoResponse,
  WebAPICallResult,
} from "@slack/web-api";
import { accepts, refuses, returns, says } from "../expect.ts";

/** Posts a message. */
export async function post(message: ChatPostMessageArguments): Promise<WebAPICallResult> {
  throw new Error(message.channel);
}
accepts(
  post,
  [{ channel: "C1", text: "Hello" }],
  [{ channel: "C1", blocks: [{ type: "divider" }], text: "Hello", thread_ts: "1.2", reply_broadcast: true }],
);
refuses(post, [{ text: "Hello" }], [{ channel: "C1" }], [{ channel: "C1", text: "Hello", blocks: "none" }]);
returns(post, { ok: true }, { ok: false, response_metadata: { warnings: ["w"] } });

/** Renders blocks. */
export function render(blocks: KnownBlock[]): string {
  return String(blocks.length);
}
accepts(
  render,
  [[]],
  [
    [
      { type: "section", text: { type: "mrkdwn", text: "*Hi*" } },
      { type: "image", image_url: "u", alt_text: "a" },
    ],
  ],
);
refuses(render, [[{ type: "section", text: { type: "html", text: "Hi" } }]], [{ type: "divider" }]);

/** Reads the history of a channel. */
export function history(params: ConversationsHistoryArguments): string[] {
  return [params.channel];
}
accepts(history, [{ channel: "C1" }], [{ channel: "C1", limit: 5, oldest: "1.0", inclusive: true, latest: "2.0" }]);
refuses(history, [{}], [{ channel: "C1", limit: "5" }]);

/** Shows a user. */
export async function user(id: string): Promise<UsersInfoResponse> {
  throw new Error(id);
}
returns(user, { ok: true, user: { id: "U1", name: "a", profile: { email: "a@example.org" } } });
says(user, "real_name");

/** Lists the texts of a message. */
export const texts = (message: Pick<ChatPostMessageArguments, "channel" | "mrkdwn">): [string, number?][] => [
  [message.channel],
];
accepts(texts, [{ channel: "C1" }], [{ channel: "C1", mrkdwn: true }]);
refuses(texts, [{ mrkdwn: true }], [{ channel: 5 }]);
returns(texts, [["a"], ["a", 1], ["a", undefined]]);
