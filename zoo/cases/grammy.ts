import { Api, GrammyError, InlineKeyboard } from "grammy";
import type { Chat, InlineKeyboardMarkup, Message, UserFromGetMe } from "grammy/types";
import { gives, refuses } from "../expect.ts";

/** An API whose requests are answered with a recorded response. */
const api = (body: unknown): Api => new Api("1:SECRET", { fetch: (async () => Response.json(body)) as never });
const me = { id: 1, is_bot: true, first_name: "B", username: "b_bot", can_join_groups: true } as const;

/** Shows the bot. */
export async function whoami(): Promise<UserFromGetMe> {
  return api({
    ok: true,
    result: {
      ...me,
      can_read_all_group_messages: false,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: false,
      allows_users_to_create_topics: false,
      supports_join_request_queries: false,
      can_manage_bots: false,
    },
  }).getMe();
}
gives(whoami, []);

/** Sends a message. */
export async function send(chat: number | string, text: string): Promise<Message.TextMessage> {
  return api({
    ok: true,
    result: { message_id: 5, date: 0, chat: { id: 1, type: "private", first_name: "A" }, text },
  }).sendMessage(chat, text);
}
gives(send, [1, "Hi"], { message_id: 5, date: 0, chat: { id: 1, type: "private", first_name: "A" }, text: "Hi" });
refuses(send, [1, 5]);

/** Builds a keyboard. */
export function keyboard(labels: string[]): { markup: InlineKeyboardMarkup; type: Chat["type"] } {
  return {
    markup: {
      inline_keyboard: InlineKeyboard.from([labels.map((label) => InlineKeyboard.text(label, label))]).inline_keyboard,
    },
    type: "private",
  };
}
gives(keyboard, [["a"]], { markup: { inline_keyboard: [[{ text: "a", callback_data: "a" }]] }, type: "private" });

/** Explains why a message is not sent. */
export async function explain(text: string): Promise<GrammyError | undefined> {
  const answer = api({ ok: false, error_code: 400, description: "Bad Request" }).sendMessage(1, text);
  return answer.then(
    () => undefined,
    (error: unknown) => (error instanceof GrammyError ? error : undefined),
  );
}
gives(explain, ["SECRET"], { name: "GrammyError", message: "Call to 'sendMessage' failed! (400: Bad Request)" });
