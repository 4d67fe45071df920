import type { Bot } from '#contract/bots.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { addressStore, changeAddress } from '../address/address.ts';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { archivedBotsKey, availableBotsKey, botDetailsKey, botsKey } from '../api/query-keys.ts';
import { liveKey } from '../live/live-key.ts';
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
    failed: 'Failed to archive the bot',
  },
  'bring-back': {
    title: 'Bring Bot Back',
    message: 'It is listed again, and stays stopped until you activate it.',
    label: 'Bring Back',
    done: 'is back, stopped',
    failed: 'Failed to bring the bot back',
  },
  delete: {
    title: 'Delete Bot',
    message: 'It has never traded. It is deleted with its settings and decisions, for good.',
    label: 'Delete',
    done: 'is deleted',
    failed: 'Failed to delete the bot',
  },
} as const;

/** Asks before a bot is archived, brought back or deleted, and does it. */
export function PutAwayDialog({ bot, what, onDone }: PutAwayDialogProps) {
  const queryClient = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const { title, message, label, done, failed } = words[what];
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      const params = { id: bot.id };
      if (what === 'archive') await api.archiveBot({ params });
      else if (what === 'bring-back') await api.bringBackBot({ params });
      else await api.deleteBot({ params });
    } catch (problem) {
      setError(`${failed}: ${messageOf(problem)}`);
      setBusy(false);
      return;
    }
    if (what === 'delete' && addressStore.getState().values.bot === bot.id) changeAddress({ bot: null, pair: null }, 'replace');
    const changed = [botsKey, archivedBotsKey, availableBotsKey, liveKey, ...(what === 'delete' ? [] : [botDetailsKey(bot.id)])];
    await Promise.all(changed.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    showToast('success', `${bot.nickname} ${done}`);
    onDone();
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
      onCancel={onDone}
    >
      {error === null ? null : (
        <p role="alert" className="bot-failed">
          {error}
        </p>
      )}
    </ConfirmDialog>
  );
}
