import './channels.css';
import { mostChannels } from '#contract/channels.ts';
import { Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { cancelledText, isAbort } from '../../live/until-aborted.ts';
import { useSending } from '../../live/use-sending.ts';
import { reasonOf } from '../../session/login-flow.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { AccountSection } from '../account-section.tsx';
import type { Reports } from '../section-reports.ts';
import { AddChannel } from './add-channel.tsx';
import { ChangeChannel } from './change-channel.tsx';
import type { ChannelAction, ChannelRowProps, TestResult } from './channel-row.tsx';
import { ChannelRow } from './channel-row.tsx';
import { channelName } from './channel-words.ts';
import type { OwnChannel } from './use-channels.ts';
import { useChannels } from './use-channels.ts';

const failureTexts = {
  test: 'Failed to send the test message',
  pause: 'Failed to pause the channel',
  resume: 'Failed to resume the channel',
  delete: 'Failed to delete the channel',
} as const;

/** The places where the person is reached besides the mailbox: added, tested, changed, paused and deleted here. */
export function ChannelsSection({ onSaved, onFailed }: Reports) {
  const { data, isError, error, refetch } = useChannels();
  const [open, setOpen] = useState<{ dialog: 'add' } | { dialog: 'change' | 'delete'; channel: OwnChannel } | null>(null);
  const [busy, setBusy] = useState<ChannelRowProps['busy']>(null);
  const [test, setTest] = useState<TestResult | null>(null);
  const sending = useSending();

  const act = async ({ id }: OwnChannel, action: ChannelAction | 'delete') => {
    onFailed(null);
    setTest(null);
    setBusy({ id, action });
    try {
      if (action === 'test') setTest({ channelId: id, error: (await api.testChannel({ params: { id } })).error });
      else {
        if (action === 'delete') await sending.send((signal) => api.deleteChannel({ params: { id } }, { signal }));
        else await api.changeChannel({ params: { id }, body: { paused: action === 'pause' } });
        onSaved();
      }
    } catch (failed) {
      onFailed(
        isAbort(failed)
          ? { text: `${cancelledText} The channel may be deleted already: check the list.`, detail: null }
          : { text: failureTexts[action], detail: reasonOf(failed) },
      );
    }
    await refetch();
    setBusy(null);
    if (action === 'delete') setOpen((now) => (now?.dialog === 'delete' ? null : now));
  };
  /** What was cancelled may have been done. */
  const close = () => {
    setOpen(null);
    void refetch();
  };
  const isFull = data !== undefined && data.length >= mostChannels;

  return (
    <AccountSection title="Channels">
      <div className="account-section">
        {isError ? <Banner tone="error" text="Failed to load channels. Please try again." detail={reasonOf(error)} /> : null}
        {data === undefined && !isError ? <Skeleton height={44} aria-label="Loading channels" role="status" /> : null}
        {data?.length === 0 ? (
          <p className="account-hint">
            What your bots do, as messages to Telegram, Discord, Slack or ntfy, as notifications of this browser, or to a webhook. There is
            no channel yet.
          </p>
        ) : null}
        {data === undefined || data.length === 0 ? null : (
          <ul className="account-rows" aria-label="Channels">
            {data.map((channel) => (
              <ChannelRow
                key={channel.id}
                channel={channel}
                busy={busy}
                test={test}
                onAct={(action) => void act(channel, action)}
                onChange={() => setOpen({ dialog: 'change', channel })}
                onDelete={() => setOpen({ dialog: 'delete', channel })}
              />
            ))}
          </ul>
        )}
        <div className="account-buttons">
          <Button
            variant="secondary"
            icon={<IconPlus size={14} aria-hidden />}
            disabled={isFull}
            {...(isFull ? { title: `You can have at most ${mostChannels} channels. Delete one first.` } : {})}
            onClick={() => setOpen({ dialog: 'add' })}
          >
            Add Channel
          </Button>
        </div>
      </div>
      {open?.dialog === 'add' ? (
        <AddChannel
          onAdded={() => {
            onSaved();
            void refetch();
          }}
          onClose={close}
        />
      ) : null}
      {open?.dialog === 'change' ? (
        <ChangeChannel
          channel={open.channel}
          onChanged={() => {
            setOpen(null);
            onSaved();
            void refetch();
          }}
          onClose={close}
        />
      ) : null}
      <ConfirmDialog
        opened={open?.dialog === 'delete'}
        title="Delete Channel"
        message={
          open?.dialog === 'delete' ? `Delete ${channelName(open.channel)}? Nothing is sent there any more, what waits neither.` : ''
        }
        confirmLabel="Delete"
        destructive
        loading={busy?.action === 'delete'}
        onConfirm={() => {
          if (open?.dialog === 'delete') void act(open.channel, 'delete');
        }}
        onCancel={() => {
          sending.cancel();
          setOpen(null);
        }}
      />
    </AccountSection>
  );
}
