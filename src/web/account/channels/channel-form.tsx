import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { MessageLine } from '../../ui/message-line.tsx';
import type { Submission } from '../../ui/use-submission.ts';
import { channelReason } from './browser-subscription.ts';
import type { SettingsDraft } from './channel-draft.ts';
import { SettingsFields } from './settings-fields.tsx';

/** See `ChannelForm`. */
export interface ChannelFormProps {
  /** What is to be known before, in a sentence. */
  hint: string;
  settings: SettingsDraft;
  onSettings: (change: (before: SettingsDraft) => SettingsDraft) => void;
  submission: Submission<'save'>;
  /** What is said when the call failed. */
  failedText: string;
  confirmLabel: string;
  onSave: () => void;
  onClose: () => void;
  /** The fields above the name. */
  children?: ReactNode;
}

/** The form of a channel, new or stored: its name, what it is about and when it is quiet. */
export function ChannelForm(props: ChannelFormProps) {
  const { hint, settings, onSettings, submission, failedText, confirmLabel, onSave, onClose, children } = props;
  const { busy, issue, failed } = submission;
  const change = (changes: Partial<SettingsDraft>) => onSettings((before) => ({ ...before, ...changes }));
  return (
    <form
      noValidate
      className="account-form"
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        onSave();
      }}
    >
      <p className="account-hint">{hint}</p>
      {children}
      <TextInput
        label="Name"
        placeholder="For example: my phone"
        maxLength={60}
        value={settings.name}
        onChange={({ currentTarget: { value } }) => change({ name: value })}
      />
      <SettingsFields settings={settings} onChange={change} />
      <MessageLine
        tone="error"
        text={issue?.text ?? (failed === null ? null : failedText)}
        detail={failed === null ? null : channelReason(failed.error)}
      />
      <div className="fl-dialog-actions">
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={busy !== null}>
          {confirmLabel}
        </Button>
      </div>
    </form>
  );
}
