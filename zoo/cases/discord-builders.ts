import { ActionRowBuilder, ButtonBuilder, EmbedBuilder, SlashCommandBuilder } from "@discordjs/builders";
import type {
  APIActionRowComponent,
  APIButtonComponent,
  APIEmbed,
  RESTPostAPIChatInputApplicationCommandsJSONBody,
} from "discord-api-types/v10";
import { gives, refuses } from "../expect.ts";

/** Builds an embed. */
export function embed(title: string, color: number): APIEmbed {
  return new EmbedBuilder()
    .setTitle(title)
    .setColor(color)
    .setTimestamp(1000)
    .addFields({ name: "a", value: "b", inline: true })
    .toJSON();
}
gives(embed, ["A", 255], {
  title: "A",
  color: 255,
  timestamp: "1970-01-01T00:00:01.000Z",
  fields: [{ name: "a", value: "b", inline: true }],
});
refuses(embed, ["A", "red"]);

/** Previews an embed. */
export async function preview(titles: string[]): Promise<EmbedBuilder[]> {
  return titles.map((title) => new EmbedBuilder().setTitle(title));
}
gives(preview, [["A"]], [{ title: "A" }]);

/** Builds a row of buttons. */
export function buttons(labels: string[]): APIActionRowComponent<APIButtonComponent> {
  const built = labels.map((label) => new ButtonBuilder().setLabel(label).setStyle(1).setCustomId(label));
  return new ActionRowBuilder<ButtonBuilder>()
    .addComponents(built)
    .toJSON() as APIActionRowComponent<APIButtonComponent>;
}
gives(buttons, [["a"]], { type: 1, components: [{ type: 2, label: "a", style: 1, custom_id: "a" }] });

/** Builds a command. */
export function command(name: string): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return new SlashCommandBuilder()
    .setName(name)
    .setDescription("Says.")
    .addStringOption((option) => option.setName("text").setDescription("The text.").setRequired(true))
    .toJSON();
}
gives(command, ["say"]);
