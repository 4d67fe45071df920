import type { Bot } from '#contract/bots.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { addressStore, changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { archivedBotsKey, availableBotsKey, botDetailsKey, botsKey } from '../api/query-keys.ts';
import { liveKey } from '../live/live-key.ts';
import { cancelledText } from '../live/until-aborted.ts';
import { useSending } from '../live/use-sending.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { showToast } from '../ui/toast.ts';

/** What is done with a bot that is not needed, or needed again. */
export type PutAway = 'archive' | 'bring-back' | 'delete';

/** See `PutAwayDialog`. */
export interface PutAwayDialogProps {
  bot: Pick<Bot, 'id' | 'nickname' | 'imported_trades'>;
  what: PutAway;
  onDone: () => void;
}

const words = {
  archive: {
    title: 'Archive Bot',
    message: 'It leaves all lists and runs no more. Its trades stay in fund, reports and profits, and it can be brought back.',
    label: 'Archive',
    done: 'is archived',
    mayBe: 'may be archived already',
    failed: 'Failed to archive the bot',
  },
  'bring-back': {
    title: 'Bring Bot Back',
    message: 'It is listed again, and stays stopped until you activate it.',
    label: 'Bring Back',
    done: 'is back, stopped',
    mayBe: 'may be back already',
    failed: 'Failed to bring the bot back',
  },
  delete: {
    title: 'Delete Bot',
    message: 'It has never traded. It is deleted with its settings and decisions, for good.',
    label: 'Delete',
    done: 'is deleted',
    mayBe: 'may be deleted already',
    failed: 'Failed to delete the bot',
  },
} as const;

const calls = { archive: api.archiveBot, 'bring-back': api.bringBackBot, delete: api.deleteBot };

/** Asks before a bot is archived, brought back or deleted, and does it. */
export function PutAwayDialog({ bot, what, onDone }: PutAwayDialogProps) {
  const queryClient = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const sending = useSending();
  const isClosed = useRef(false);
  const { title, message, label, done, mayBe, failed } = words[what];
  const changed = [botsKey, archivedBotsKey, availableBotsKey, liveKey, ...(what === 'delete' ? [] : [botDetailsKey(bot.id)])];
  const reload = () => Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  /** Once: another question may be open by the time everything is loaded again. */
  const close = () => {
    if (!isClosed.current) onDone();
    isClosed.current = true;
  };
  const cancel = () => {
    if (sending.cancel()) {
      showToast('error', `${cancelledText} ${bot.nickname} ${mayBe}: check the list.`);
      void reload();
    }
    close();
  };
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      const params = { id: bot.id };
      await sending.send((signal) => calls[what]({ params }, { signal }));
    } catch (problem) {
      setError(`${failed}: ${messageOf(problem)}`);
      setBusy(false);
      return;
    }
    if (what === 'delete' && addressStore.getState().values.bot === bot.id) changeAddress({ bot: null, pair: null }, 'replace');
    await reload();
    showToast('success', `${bot.nickname} ${done}`);
    close();
  };
  return (
    <ConfirmDialog
      opened
      title={title}
      message={
        <>
          <b>{bot.nickname}</b>: {message}
          {what === 'delete' && bot.imported_trades > 0 ? ' So are its imported trades, which can be imported again.' : null}
        </>
      }
      confirmLabel={label}
      destructive={what === 'delete'}
      loading={isBusy}
      onConfirm={() => void confirm()}
      onCancel={cancel}
    >
      {error === null ? null : (
        <p role="alert" className="bot-failed">
          {error}
        </p>
      )}
    </ConfirmDialog>
  );
}
