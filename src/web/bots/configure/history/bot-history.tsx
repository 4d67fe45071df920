import type { Bot } from '#contract/bots.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef, useState } from 'react';
import { api } from '../../../api/api.ts';
import { messageOf } from '../../../api/api-error.ts';
import { heldData } from '../../../api/outage.ts';
import { botDetailsKey } from '../../../api/query-keys.ts';
import { cancelledText, isAbort } from '../../../live/until-aborted.ts';
import { useSending } from '../../../live/use-sending.ts';
import { Banner } from '../../../ui/banner.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import { RowsSkeleton } from '../../../ui/skeleton.tsx';
import { ChangeText } from '../../../ui/save-bar.tsx';
import { showToast } from '../../../ui/toast.ts';
import { dropDraftOf } from '../draft-store.ts';
import { versionColumns } from './version-columns.tsx';
import type { BotVersion } from './versions.ts';
import { hasOtherCode, restoredFields, useVersions } from './versions.ts';

const newestFirst = { key: 'version', descending: true };

/** The height of a row with a button in it, in px. */
const rowHeight = 36;

/** See `BotHistory`. */
export interface BotHistoryProps {
  bot: Pick<Bot, 'id' | 'nickname' | 'mode' | 'stake_currency'>;
  isTyped: boolean; // something in the form is not saved
  reload: () => Promise<void>; // the list, which says which mode the bot is in
}

/** Who changed what when, what trades came to under each version, and the way back to one. */
export function BotHistory({ bot, isTyped, reload }: BotHistoryProps) {
  const queryClient = useQueryClient();
  const query = useVersions(bot.id);
  const versions = heldData(query);
  const [asked, setAsked] = useState<AskedRestore | null>(null);
  const [isBusy, setBusy] = useState(false);
  const underWay = useRef(false);
  const sending = useSending();
  const newest = versions?.[0]?.version ?? 0;
  const ask = useCallback((version: BotVersion) => setAsked({ version, versions: versions ?? [], mode: bot.mode }), [versions, bot.mode]);
  const columns = useMemo(() => versionColumns(bot.stake_currency, newest, isBusy, ask), [bot.stake_currency, newest, isBusy, ask]);

  const restore = async ({ version: { version }, versions: shown, mode }: AskedRestore) => {
    if (underWay.current) return;
    underWay.current = true;
    setBusy(true);
    try {
      const seen = shown[0]?.version ?? 0;
      const input = { params: { id: bot.id, version }, query: { mode } };
      const restored = await sending.send((signal) => api.restoreBotVersion(input, { version: seen, signal }));
      await queryClient.refetchQueries({ queryKey: botDetailsKey(bot.id) });
      dropDraftOf(bot.id);
      // The server makes no version where nothing changes, also where the list reads as if something would.
      showToast('success', restored.version === seen ? `Nothing changed: version ${version} is in use` : `Version ${version} restored`);
      await reload();
    } catch (error) {
      const words = isAbort(error)
        ? `${cancelledText} Version ${version} may have been restored already: check the history.`
        : `Failed to restore version ${version}: ${messageOf(error)}`;
      showToast('error', words);
      await Promise.all([queryClient.refetchQueries({ queryKey: botDetailsKey(bot.id) }), reload()]);
    } finally {
      underWay.current = false;
      setBusy(false);
      setAsked(null);
    }
  };

  return (
    <CardPanel title="History" aside="times in UTC; PNL of closed trades made under each version" flush>
      {query.isPending ? <RowsSkeleton rows={4} /> : null}
      {query.isError ? <Banner tone="error" text={`Failed to load the history: ${messageOf(query.error)}`} /> : null}
      {versions?.length === 0 ? (
        <EmptyState text="No changes yet" hint="From the first change on every version is kept here and can be restored." />
      ) : null}
      {versions !== undefined && versions.length > 0 ? (
        <DataTable
          label="History"
          long
          rowHeight={rowHeight}
          maxHeight={Math.min(360, 32 + versions.length * rowHeight)}
          columns={columns}
          rows={versions}
          rowKey={({ version }) => String(version)}
          sortedBy={newestFirst}
        />
      ) : null}
      <RestoreDialog
        bot={bot}
        asked={asked}
        isBusy={isBusy}
        isTyped={isTyped}
        onConfirm={() => void (asked === null ? undefined : restore(asked))}
        onCancel={() => {
          sending.cancel();
          setAsked(null);
        }}
      />
    </CardPanel>
  );
}

/** What is to be restored, and what the question shows of the bot: what comes later is another question. */
interface AskedRestore {
  version: BotVersion;
  versions: readonly BotVersion[]; // with the newest first, from which the other differs
  mode: Bot['mode'];
}

/** See `RestoreDialog`. */
interface RestoreDialogProps extends Pick<BotHistoryProps, 'bot' | 'isTyped'> {
  asked: AskedRestore | null;
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
}

/** Asks before a version is restored. One whose settings are in use cannot be: nothing would change. */
function RestoreDialog({ bot, asked, isBusy, isTyped, onConfirm, onCancel }: RestoreDialogProps) {
  const fields = asked === null ? [] : restoredFields(asked.versions, asked.version.version);
  return (
    <ConfirmDialog
      opened={asked !== null}
      title="Restore Version"
      message={`Restore ${bot.nickname} to the settings of version ${asked?.version.version ?? ''}?`}
      confirmLabel={`Restore Version ${asked?.version.version ?? ''}`}
      destructive={asked?.mode === 'live'}
      loading={isBusy}
      confirmDisabled={fields.length === 0}
      onConfirm={onConfirm}
      onCancel={onCancel}
    >
      {asked === null ? null : (
        <WhatIsRestored
          asked={asked.version}
          fields={fields}
          keepsCode={hasOtherCode(asked.versions, asked.version.version)}
          mode={asked.mode}
          isTyped={isTyped}
        />
      )}
    </ConfirmDialog>
  );
}

/** See `WhatIsRestored`. */
interface WhatIsRestoredProps extends Pick<BotHistoryProps, 'isTyped'> {
  asked: BotVersion;
  fields: ReturnType<typeof restoredFields>;
  keepsCode: boolean; // the bot has taken another version of its strategy since
  mode: Bot['mode'];
}

/** What is restored, field by field: its value now and the one it gets; or that nothing is. */
function WhatIsRestored({ asked, fields, keepsCode, mode, isTyped }: WhatIsRestoredProps) {
  const code = keepsCode ? ' The bot keeps the version of its strategy that it runs.' : '';
  if (fields.length === 0)
    return <p className="bot-dialog-note">The bot has these settings already: nothing changes, and no version is made.{code}</p>;
  return (
    <>
      <ul className="bot-restored" aria-label="What is restored">
        {fields.map(({ name, from, to }) => (
          <li key={name}>
            <ChangeText change={{ name, from, to }} />
          </li>
        ))}
      </ul>
      <p className="bot-dialog-note">
        They are of {formatMoment(asked.changed_at)} UTC and become a new version, which applies from the next candle.{code}{' '}
        {mode === 'live' ? 'The bot is live.' : 'The bot is in paper mode.'}
        {isTyped ? ' What is typed in the form is dropped.' : ''}
      </p>
    </>
  );
}
