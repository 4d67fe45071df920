import { Button } from '../../ui/button.tsx';
import { aboutText, channelName, givenUpText, stateText } from './channel-words.ts';
import type { OwnChannel } from './use-channels.ts';

/** What is done with a channel. */
export type ChannelAction = 'test' | 'pause' | 'resume';

/** What became of a test message. */
export interface TestResult {
  channelId: string;
  error: string | null; // null: it was taken
}

/** See `ChannelRow`. */
export interface ChannelRowProps {
  channel: OwnChannel;
  busy: { id: string; action: ChannelAction | 'delete' } | null; // what is under way
  test: TestResult | null; // the newest
  onAct: (action: ChannelAction) => void;
  onChange: () => void;
  onDelete: () => void;
}

/** A channel: how it is doing, what it is about, and what can be done with it. */
export function ChannelRow({ channel, busy, test, onAct, onChange, onDelete }: ChannelRowProps) {
  const name = channelName(channel);
  const state = stateText(channel);
  const givenUp = givenUpText(channel);
  const toggle = channel.paused === null ? 'pause' : 'resume';
  const isBusy = (action: ChannelAction) => busy?.id === channel.id && busy.action === action;
  return (
    <li className="account-row">
      <div className="account-row-text">
        <span>{name}</span>
        <span className={`account-key-${state.tone}`}>{state.text}</span>
        <span className="account-hint">{aboutText(channel)}</span>
        {givenUp === null ? null : <span className="account-hint">{givenUp}</span>}
        <span role="status">
          {test?.channelId !== channel.id ? null : test.error === null ? (
            <span className="account-key-good">The test message was taken.</span>
          ) : (
            <span className="account-key-bad">The test message was not taken: {test.error}</span>
          )}
        </span>
      </div>
      <div className="account-buttons channel-buttons">
        <Button
          variant="secondary"
          loading={isBusy('test')}
          disabled={busy !== null && !isBusy('test')}
          aria-label={`Test ${name}`}
          onClick={() => onAct('test')}
        >
          Test
        </Button>
        <Button variant="secondary" disabled={busy !== null} aria-label={`Change ${name}`} onClick={onChange}>
          Change
        </Button>
        <Button
          variant="secondary"
          loading={isBusy(toggle)}
          disabled={busy !== null && !isBusy(toggle)}
          aria-label={`${toggle === 'pause' ? 'Pause' : 'Resume'} ${name}`}
          onClick={() => onAct(toggle)}
        >
          {toggle === 'pause' ? 'Pause' : 'Resume'}
        </Button>
        <Button variant="secondary" disabled={busy !== null} aria-label={`Delete ${name}`} onClick={onDelete}>
          Delete
        </Button>
      </div>
    </li>
  );
}
