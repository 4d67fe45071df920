import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useUser } from '../session/use-session.ts';
import { LimitsPanel } from './limits-panel.tsx';

/** The limits of a bot and of all bots of its owner, for the owner and admins. */
export function BotLimits({ id, ownerId, isPaper }: { id: string; ownerId: string; isPaper: boolean }) {
  const user = useUser();
  const [level, setLevel] = useState<'bot' | 'user'>('bot');
  if (user === null || (user.role !== 'admin' && user.userId !== ownerId)) return null;
  const whose = user.userId === ownerId ? 'All your bots' : 'All bots of the owner';
  return (
    <LimitsPanel
      target={level === 'bot' ? { level, id } : { level, id: ownerId }}
      note={
        level === 'bot'
          ? isPaper
            ? 'on paper only these limits hold'
            : 'owner and server limits also apply'
          : 'of bots that trade at an exchange, together'
      }
      scope={
        <SegmentedControl
          size="xs"
          aria-label="Whose limits"
          data={[
            { value: 'bot', label: 'This bot' },
            { value: 'user', label: whose },
          ]}
          value={level}
          onChange={(value) => setLevel(value === 'user' ? 'user' : 'bot')}
        />
      }
    />
  );
}
