import type { LiveStatus } from './live-key.ts';

/** A visible bot with all that is known of it. */
export type FleetBot = LiveStatus['bots'][number];

interface Joined {
  facts: FleetBot | undefined;
  history: FleetBot | undefined;
  hour: FleetBot | undefined;
  bot: FleetBot;
}

const inSameMode = (known: FleetBot | undefined, { mode }: FleetBot) => (known?.mode === mode ? known : undefined);

const joinedBefore = new WeakMap<FleetBot, Joined>();

/**
 * Each bot of the newest answer with what the slower ones know of it. One of which nothing has changed stays the same object, so
 * that a list of thousands draws only those that have. What is known of a bot in another mode is not of the money that it trades with now.
 */
export function joinedFleet(
  newest: LiveStatus,
  slower: LiveStatus | undefined,
  slowest: LiveStatus | undefined,
  ofHour?: LiveStatus,
): FleetBot[] {
  const factsOf = new Map(slower?.bots.map((bot) => [bot.bot_id, bot]));
  const historyOf = new Map(slowest?.bots.map((bot) => [bot.bot_id, bot]));
  const hourOf = new Map(ofHour?.bots.map((bot) => [bot.bot_id, bot]));
  return newest.bots.map((bot) => {
    const [facts, history, hour] = [factsOf, historyOf, hourOf].map((known) => inSameMode(known.get(bot.bot_id), bot));
    const before = joinedBefore.get(bot);
    if (before !== undefined && before.facts === facts && before.history === history && before.hour === hour) return before.bot;
    const now = { ...hour, ...history, ...facts, ...bot };
    joinedBefore.set(bot, { facts, history, hour, bot: now });
    return now;
  });
}
