import type { Bot } from '#contract/bots.ts';
import { Menu } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { type OwnApiKey, useApiKeys } from '../../api/use-api-keys.ts';
import { useUser } from '../../session/use-session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { keyChoice, keyName, sharedWith } from './key-names.ts';
import { type KeyGiving, useGiveKey } from './use-give-key.ts';

/** See `BotKey`. */
export interface BotKeyProps {
  bot: Pick<Bot, 'id' | 'nickname' | 'user_id' | 'exchange_id' | 'mode'>;
  isMissing: boolean; // it cannot trade live without one
  openTrades: number;
}

/**
 * The key of a bot on its card: whose account it shares, another key of its exchange, and a first one where there is none. Keys are
 * their owner's: of a bot of somebody else an admin sees only that it has none.
 */
export function BotKey({ bot, isMissing, openTrades }: BotKeyProps) {
  const isOwn = useUser()?.userId === bot.user_id;
  const { data = [] } = useApiKeys(isOwn);
  const giving = useGiveKey(bot);
  const ofExchange = isOwn ? data.filter(({ exchange }) => exchange === bot.exchange_id) : [];
  const current = ofExchange.find(({ bots }) => bots.some(({ id }) => id === bot.id));
  const others = ofExchange.filter((key) => key !== current);
  if (current === undefined) return isMissing ? <FirstKey bot={bot} keys={others} giving={giving} /> : null;
  const shares = sharedWith(current, bot.id);
  return (
    <p className="bot-note bot-key-line">
      <IconKey size={14} aria-hidden />
      <span>
        <span>{`API key ${keyName(current)}${shares === null ? '' : `, shares its account with ${shares}`}`}</span>{' '}
        {others.length === 0 ? null : <OtherKey bot={bot} keys={others} giving={giving} openTrades={openTrades} />}
      </span>
    </p>
  );
}

interface OfKeys {
  bot: BotKeyProps['bot'];
  keys: readonly OwnApiKey[];
  giving: KeyGiving;
}

function FirstKey({ bot, keys, giving }: OfKeys) {
  if (keys.length === 0 && bot.exchange_id !== 'sandbox') return null;
  return (
    <div className="bot-key-offers">
      {keys.length === 0 ? null : (
        <KeyMenu bot={bot} keys={keys} onChoose={(key) => void giving.give(key.id)}>
          <Button variant="secondary" size="small" loading={giving.isBusy}>
            Choose a Stored Key
          </Button>
        </KeyMenu>
      )}
      {bot.exchange_id === 'sandbox' ? (
        <Button variant="secondary" size="small" loading={giving.isBusy} onClick={() => void giving.giveSandboxKey()}>
          Get a Sandbox Key
        </Button>
      ) : null}
    </div>
  );
}

function OtherKey({ bot, keys, giving, openTrades }: OfKeys & { openTrades: number }) {
  const [asked, setAsked] = useState<OwnApiKey | null>(null);
  const isHeld = bot.mode === 'live' && openTrades > 0;
  const give = (key: OwnApiKey) => void giving.give(key.id).finally(() => setAsked(null));
  return (
    <>
      <KeyMenu bot={bot} keys={keys} onChoose={(key) => (bot.mode === 'live' ? setAsked(key) : give(key))}>
        <button
          type="button"
          className="bot-link"
          disabled={isHeld || giving.isBusy}
          {...(isHeld ? { title: 'The key cannot change while trades are open.' } : {})}
        >
          Change Key
        </button>
      </KeyMenu>
      <ConfirmDialog
        opened={asked !== null}
        title="Change API Key"
        message={
          asked === null
            ? ''
            : `${bot.nickname} trades with ${keyChoice(asked, bot.id)} from then on. It is paused; activate it when you have checked the account.`
        }
        confirmLabel="Change Key"
        loading={giving.isBusy}
        onConfirm={() => (asked === null ? undefined : give(asked))}
        onCancel={() => {
          giving.cancel();
          setAsked(null);
        }}
      />
    </>
  );
}

interface KeyMenuProps {
  bot: Pick<Bot, 'id'>;
  keys: readonly OwnApiKey[];
  onChoose: (key: OwnApiKey) => void;
  children: ReactElement;
}

function KeyMenu({ bot, keys, onChoose, children }: KeyMenuProps) {
  return (
    <Menu position="bottom-start" transitionProps={{ duration: 0 }}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {keys.map((key) => (
          <Menu.Item key={key.id} onClick={() => onChoose(key)}>
            {keyChoice(key, bot.id)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
