import type { Bot } from '#contract/bots.ts';
import { IconKey } from '@tabler/icons-react';
import { keyName } from '../../keys/key-names.ts';
import { useKeysOf } from '../use-offered.ts';

/** Which keys the owner of a bot has stored for its exchange, for an admin who looks at it: their names and ends, never a secret. */
export function OwnersKeys({ bot }: { bot: Bot }) {
  const keys = useKeysOf(bot);
  if (keys.length === 0) return null;
  return (
    <p className="bot-note">
      <IconKey size={14} aria-hidden />
      <span>{`Stored keys of ${bot.email} for this exchange: ${keys.map(keyName).join(', ')}`}</span>
    </p>
  );
}
