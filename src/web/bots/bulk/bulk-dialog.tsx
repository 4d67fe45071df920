import { longestTag, mostTags, tagTexts } from '#contract/bot-tags.ts';
import type { Bot } from '#contract/bots.ts';
import type { BulkAction } from '#contract/bulk.ts';
import type { CallReply } from '#contract/client.ts';
import { TagsInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { messageOf } from '../../api/api-error.ts';
import type { FleetBot } from '../../live/joined-fleet.ts';
import { cancelledText, isAbort } from '../../live/until-aborted.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ModeTag } from '../../ui/mode-tag.tsx';
import { showToast } from '../../ui/toast.ts';
import { tagsOf } from '../bot-list.ts';
import { useSending } from '../../live/use-sending.ts';
import { bulkConsequence, bulkWords, byMode, concernedBots, countOf } from './bulk-words.ts';
import { BulkResults } from './bulk-results.tsx';

/** See `BulkDialog`. */
export interface BulkDialogProps {
  action: BulkAction;
  bots: readonly Bot[];
  live: ReadonlyMap<string, FleetBot>;
  onChanged: () => Promise<void>;
  onDone: () => void;
}

/** Said after a change of several bots was cancelled while it was sent. */
const cancelledWords = `${cancelledText} It may have been done already, to some of the bots or all: check them.`;

/** Asks before something is done to several bots, does it, and names those that it failed for. */
export function BulkDialog({ action, bots, live, onChanged, onDone }: BulkDialogProps) {
  const [tags, setTags] = useState<string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [isUnsure, setUnsure] = useState(false); // cancelled while it was sent
  const sending = useSending();
  const [results, setResults] = useState<CallReply<'changeBots'>['results'] | null>(null);
  const { title, confirm, done, failed } = bulkWords[action];
  const [concerned] = useState(() => concernedBots(action, bots)); // those that were asked about, whatever happens to them meanwhile
  const modes = byMode(concerned, live);
  const openTrades = modes.reduce((sum, mode) => sum + mode.openTrades, 0);
  const unknown = modes.reduce((sum, mode) => sum + mode.unknown, 0);
  const isTagging = action === 'tag' || action === 'untag';
  const issue = tags.some((tag) => tag.length > longestTag) ? tagTexts.form : null;
  const press = async () => {
    setBusy(true);
    setError(null);
    setUnsure(false);
    let answer: CallReply<'changeBots'>;
    const each = <Value,>(value: (bot: Bot) => Value) => Object.fromEntries(concerned.map((bot) => [bot.id, value(bot)]));
    // Whoever starts bots has confirmed which of them send real orders, and what they trade with.
    const started = action === 'activate' ? { modes: each(({ mode }) => mode), versions: each(({ version }) => version) } : {};
    const seen = isTagging ? { tags } : { statuses: each(({ status }) => status), ...started };
    try {
      const body = { bot_ids: concerned.map(({ id }) => id), action, ...seen };
      answer = await sending.send((signal) => api.changeBots({ body }, { signal }));
    } catch (problem) {
      const isCancelled = isAbort(problem);
      setError(isCancelled ? cancelledWords : `${failed}: ${messageOf(problem)}`);
      setUnsure(isCancelled);
      setBusy(false);
      if (isCancelled) void onChanged();
      return;
    }
    // Said before the bots are loaded again: whoever closes the dialog until then has read it.
    const isFailed = answer.results.some(({ outcome }) => outcome === 'failed');
    if (isFailed) setResults(answer.results);
    else showToast('success', `${countOf(answer.results.length, 'bot')} ${done}`);
    await onChanged();
    setBusy(false);
    if (!isFailed) onDone();
  };
  const cancel = () => {
    if (!sending.cancel()) onDone();
  };
  if (results !== null) return <BulkResults title={title} done={done} results={results} onDone={onDone} />;
  return (
    <ConfirmDialog
      opened
      title={title}
      message={
        isTagging
          ? countOf(concerned.length, 'bot')
          : `Are you sure you want to ${action} ${concerned.length === 1 ? 'this bot' : `these ${concerned.length} bots`}?`
      }
      confirmLabel={confirm}
      cancelLabel={isUnsure ? 'Close' : 'Cancel'}
      destructive={action === 'stop'}
      loading={isBusy}
      confirmDisabled={isTagging && (tags.length === 0 || issue !== null)}
      onConfirm={() => void press()}
      onCancel={cancel}
    >
      <ul className="bot-bulk-modes fl-number">
        {modes.map(({ mode, bots: count, openTrades: open, unknown: notKnown }) => (
          <li key={mode}>
            <ModeTag mode={mode} /> {countOf(count, 'bot')}
            {action === 'stop' || action === 'pause' ? `, ${countOf(open, 'open trade')}` : ''}
            {action === 'stop' && notKnown > 0 ? `; of ${notKnown} it is not known` : ''}
          </li>
        ))}
      </ul>
      <p className="bot-bulk-names">{concerned.map(({ nickname }) => nickname).join(', ')}</p>
      {isTagging ? (
        <TagsInput
          label="Tags"
          description={action === 'tag' ? `A bot has at most ${mostTags}. Enter or a comma ends one.` : 'Enter or a comma ends one.'}
          data={tagsOf(concerned)}
          value={tags}
          maxTags={mostTags}
          acceptValueOnBlur
          error={issue}
          onChange={setTags}
        />
      ) : null}
      <p className="bot-dialog-note">{bulkConsequence(action, concerned, openTrades, unknown)}</p>
      {concerned.length < bots.length ? (
        <p className="bot-dialog-note">
          {countOf(bots.length - concerned.length, 'chosen bot')} {bots.length - concerned.length === 1 ? 'stays' : 'stay'} as{' '}
          {bots.length - concerned.length === 1 ? 'it is' : 'they are'}.
        </p>
      ) : null}
      {error === null ? null : (
        <p role="alert" className="bot-failed">
          {error}
        </p>
      )}
    </ConfirmDialog>
  );
}
