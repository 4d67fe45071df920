import { ActionIcon, Menu } from '@mantine/core';
import {
  IconActivity,
  IconArchive,
  IconArchiveOff,
  IconDotsVertical,
  IconHandStop,
  IconHelpCircle,
  IconPlayerStop,
  IconTags,
  IconTrash,
} from '@tabler/icons-react';
import type { Bot } from '#contract/bots.ts';
import { useState } from 'react';
import { changeAddress } from '../address/address.ts';
import type { PutAway } from './put-away-dialog.tsx';
import { onDemand } from '../ui/on-demand.tsx';

const EnterByHand = onDemand(() => import('../by-hand/enter-by-hand.tsx').then((module) => module.EnterByHand));
const PutAwayDialog = onDemand(() => import('./put-away-dialog.tsx').then((module) => module.PutAwayDialog));
const TagsDialog = onDemand(() => import('./tags-dialog.tsx').then((module) => module.TagsDialog));

/** See `BotMenu`. */
export interface BotMenuProps {
  bot: Pick<Bot, 'id' | 'nickname' | 'status' | 'total_trades' | 'imported_trades' | 'last_trade_at' | 'archived_at' | 'tags'>;
  disabled: boolean;
  onStop: () => void;
}

/** What else can be done with a bot. Stopping is kept apart from pausing: it closes trades. */
export function BotMenu({ bot, disabled, onStop }: BotMenuProps) {
  const [isEntering, setEntering] = useState(false);
  const [putting, setPutting] = useState<PutAway | null>(null);
  const [isTagging, setTagging] = useState(false);
  const isArchived = bot.archived_at !== null;
  return (
    <>
      <Menu position="bottom-end" transitionProps={{ duration: 0 }} returnFocus={false} disabled={disabled}>
        <Menu.Target>
          <ActionIcon
            variant="default"
            className="bot-more-button"
            aria-label={`More for ${bot.nickname}`}
            data-action="more"
            disabled={disabled}
          >
            <IconDotsVertical size={14} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isArchived ? null : (
            <Menu.Item leftSection={<IconActivity size={14} aria-hidden />} onClick={() => watch(bot.id)}>
              Show on Status
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconHelpCircle size={14} aria-hidden />} onClick={() => changeAddress({ why: bot.id })}>
            Why It Did or Did Not Trade
          </Menu.Item>
          {bot.status === 'active' ? (
            <Menu.Item leftSection={<IconHandStop size={14} aria-hidden />} onClick={() => setEntering(true)}>
              Enter by Hand
            </Menu.Item>
          ) : null}
          {isArchived ? null : (
            <Menu.Item leftSection={<IconTags size={14} aria-hidden />} onClick={() => setTagging(true)}>
              Edit Tags
            </Menu.Item>
          )}
          {bot.status === 'stopped' && !isArchived ? (
            <Menu.Item leftSection={<IconArchive size={14} aria-hidden />} onClick={() => setPutting('archive')}>
              Archive Bot
            </Menu.Item>
          ) : null}
          {isArchived ? (
            <Menu.Item leftSection={<IconArchiveOff size={14} aria-hidden />} onClick={() => setPutting('bring-back')}>
              Bring Back
            </Menu.Item>
          ) : null}
          {bot.status === 'stopped' &&
          bot.total_trades === bot.imported_trades &&
          (bot.imported_trades > 0 || bot.last_trade_at === null) ? (
            <Menu.Item color="red" leftSection={<IconTrash size={14} aria-hidden />} onClick={() => setPutting('delete')}>
              Delete Bot
            </Menu.Item>
          ) : null}
          {bot.status === 'stopped' ? null : (
            <Menu.Item color="red" leftSection={<IconPlayerStop size={14} aria-hidden />} onClick={onStop}>
              Stop Bot
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {isEntering ? <EnterByHand botId={bot.id} onDone={() => setEntering(false)} /> : null}
      {isTagging ? <TagsDialog bot={bot} onDone={() => setTagging(false)} /> : null}
      {putting === null ? null : <PutAwayDialog bot={bot} what={putting} onDone={() => setPutting(null)} />}
    </>
  );
}

/** Shows a bot on the Status tab. */
export function watch(botId: string): void {
  changeAddress({ tab: null, view: null, bot: botId, pair: null });
}
