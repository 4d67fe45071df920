import { longestTag, mostTags, tagTexts } from '#contract/bot-tags.ts';
import type { Bot } from '#contract/bots.ts';
import { TagsInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../api/api.ts';
import { messageOf } from '../api/api-error.ts';
import { botDetailsKey, botsKey } from '../api/query-keys.ts';
import { cancelledText } from '../live/until-aborted.ts';
import { useSending } from '../live/use-sending.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { showToast } from '../ui/toast.ts';

/** See `TagsDialog`. */
export interface TagsDialogProps {
  bot: Pick<Bot, 'id' | 'nickname' | 'tags'>;
  onDone: () => void;
}

/** Edits the tags of a bot; those of other bots are offered. */
export function TagsDialog({ bot, onDone }: TagsDialogProps) {
  const queryClient = useQueryClient();
  const [tags, setTags] = useState<string[]>(bot.tags);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const sending = useSending();
  const isClosed = useRef(false);
  const known = [...new Set((queryClient.getQueryData<Bot[]>(botsKey) ?? []).flatMap((other) => other.tags))].toSorted();
  const issue = tags.some((tag) => tag.length > longestTag) ? tagTexts.form : null;
  const reload = () => Promise.all([botsKey, botDetailsKey(bot.id)].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
  /** Once: another question may be open by the time the bots are loaded again. */
  const close = () => {
    if (!isClosed.current) onDone();
    isClosed.current = true;
  };
  const cancel = () => {
    if (sending.cancel()) {
      showToast('error', `${cancelledText} The tags of ${bot.nickname} may be saved already: check the list.`);
      void reload();
    }
    close();
  };
  const save = async () => {
    setBusy(true);
    setError(null);
    try {
      await sending.send((signal) => api.setBotTags({ params: { id: bot.id }, body: { tags } }, { signal }));
    } catch (problem) {
      setError(`Failed to save the tags: ${messageOf(problem)}`);
      setBusy(false);
      return;
    }
    await reload();
    showToast('success', 'Tags saved');
    close();
  };
  return (
    <ConfirmDialog
      opened
      title="Edit Tags"
      message={<b>{bot.nickname}</b>}
      confirmLabel="Save"
      loading={isBusy}
      confirmDisabled={issue !== null}
      onConfirm={() => void save()}
      onCancel={cancel}
    >
      <TagsInput
        label="Tags"
        description={`At most ${mostTags}. Enter or a comma ends one.`}
        data={known}
        value={tags}
        maxTags={mostTags}
        acceptValueOnBlur
        error={issue}
        onChange={setTags}
      />
      {error === null ? null : (
        <p role="alert" className="bot-failed">
          {error}
        </p>
      )}
    </ConfirmDialog>
  );
}
