import type { Bot } from '#contract/bots.ts';
import { isLate, priceAge } from '../live/price-age.ts';
import type { FleetBot } from '../live/joined-fleet.ts';
import { formatPnl } from '../ui/money.ts';
import { formatDuration } from '../ui/moment.ts';
import { parameterTitle } from '../ui/parameter-text.ts';

/** The words of a missing key that lead to where one is given. */
export const addKeyText = 'add one on Configure Bot';

/** What a bot without a key needs before it can trade live. */
export const noKeyText = `Needs an API key: ${addKeyText} or in your account settings.`;

/** What the owner of a bot should know of it; empty when all is well. `live` is undefined where the person may not see it. */
export function attentionNotes(bot: Bot, live: FleetBot | undefined, now: number): string[] {
  const notes: string[] = [];
  if (bot.status === 'paused' && bot.max_consecutive_losses > 0 && bot.current_consecutive_losses >= bot.max_consecutive_losses) {
    notes.push(`Paused after ${bot.current_consecutive_losses} losses in a row.`);
  }
  if (bot.own_settings_ignored.length > 0) {
    const names = bot.own_settings_ignored.map(parameterTitle).join(', ');
    notes.push(`Its strategy no longer takes its own ${names}: the value of the strategy counts.`);
  }
  if (live === undefined || bot.status === 'stopped') return notes;
  if (isLate(live, now)) {
    const age = formatDuration(priceAge(live, now) ?? 0);
    notes.push(`Prices are ${age} old.${bot.status === 'active' ? ' No entries until they are fresh.' : ''}`);
  }
  if (live.last_error !== null) notes.push(live.last_error);
  return notes;
}

/** How much of what a bot has come to was made by another program; null for nothing. */
export function importedText({
  imported_trades: imported,
  imported_pnl: pnl,
  total_trades: trades,
  stake_currency: currency,
}: Bot): string | null {
  if (imported === 0) return null;
  const which =
    imported === trades ? (trades === 1 ? 'Its trade is' : `Its ${trades} trades are`) : `${imported} of its ${trades} trades are`;
  return `${which} imported (${formatPnl(pnl, currency)}): not in its balance.`;
}

/** Why the mode of a bot cannot be changed now; null when it can. The server decides all the same. */
export function modeObstacle(bot: Pick<Bot, 'mode'>, live: FleetBot | undefined): string | null {
  if (live === undefined) return 'The state of this bot is not known yet';
  if (bot.mode === 'paper') {
    if (live.live_obstacle === undefined) return 'The state of this bot is not known yet';
    if (live.live_obstacle === 'no-api-key') return noKeyText;
    if (live.live_obstacle === 'live-trading-disabled') return 'Live trading is switched off on this server.';
  }
  return live.open_trades > 0 ? 'The mode cannot change while trades are open.' : null;
}

/** Which version of its strategy a bot runs: 'version 3', or 'version 3, 4 is there'. */
export function versionText({
  code_version: version,
  newest_code_version: newest,
}: Pick<Bot, 'code_version' | 'newest_code_version'>): string {
  return newest === version ? `version ${version}` : `version ${version}, ${newest} is there`;
}
