import type { OwnApiKey } from '../../api/use-api-keys.ts';

/** A key as people distinguish it: its label and the end of it. */
export function keyName({ label, key_hint: hint }: Pick<OwnApiKey, 'label' | 'key_hint'>): string {
  return label === null ? `****${hint}` : `${label} (****${hint})`;
}

/** The other bots that have a key, by name; null when there is none. Bots on paper have it and do not trade with it. */
export function sharedWith({ bots }: Pick<OwnApiKey, 'bots'>, botId: string | null): string | null {
  const others = bots.filter(({ id }) => id !== botId).map(({ nickname, mode }) => (mode === 'live' ? nickname : `${nickname} (paper)`));
  if (others.length === 0) return null;
  const last = others.at(-1);
  return others.length === 1 ? `${last}` : `${others.slice(0, -1).join(', ')} and ${last}`;
}

/** A key as it is offered for a bot: its name, and who trades with its account already. */
export function keyChoice(key: OwnApiKey, botId: string | null): string {
  const others = sharedWith(key, botId);
  return others === null ? keyName(key) : `${keyName(key)}, account of ${others}`;
}
