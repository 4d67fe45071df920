import { channelTopics } from '#contract/channels.ts';
import { Checkbox, TextInput } from '@mantine/core';
import { SelectBox } from '../../ui/select-box.tsx';
import { Switch } from '../../ui/switch.tsx';
import type { SettingsDraft } from './channel-draft.ts';
import { topicNames } from './channel-words.ts';

/** See `SettingsFields`. */
export interface SettingsFieldsProps {
  settings: SettingsDraft;
  onChange: (changes: Partial<SettingsDraft>) => void;
}

/** What a channel is about, and when it is quiet. */
export function SettingsFields({ settings, onChange }: SettingsFieldsProps) {
  const { topics, isQuiet, from, until, zone, breaksQuiet } = settings;
  return (
    <>
      <fieldset className="channel-topics">
        <legend>Send a message about</legend>
        {channelTopics.map((topic) => (
          <Checkbox
            key={topic}
            size="xs"
            label={topicNames[topic]}
            checked={topics.includes(topic)}
            onChange={({ currentTarget: { checked } }) =>
              onChange({ topics: channelTopics.filter((each) => (each === topic ? checked : topics.includes(each))) })
            }
          />
        ))}
      </fieldset>
      <Switch label="Quiet hours" checked={isQuiet} onChange={(on) => onChange({ isQuiet: on })} />
      {isQuiet ? (
        <div className="channel-quiet">
          <TextInput type="time" label="From" value={from} onChange={(event) => onChange({ from: event.currentTarget.value })} />
          <TextInput type="time" label="Until" value={until} onChange={(event) => onChange({ until: event.currentTarget.value })} />
          <SelectBox label="Time zone" searchable options={zonesWith(zone)} value={zone} onChange={(value) => onChange({ zone: value })} />
          <div className="channel-breaks">
            <Switch
              label="Missing stops and lost runners break through"
              checked={breaksQuiet}
              onChange={(on) => onChange({ breaksQuiet: on })}
            />
          </div>
        </div>
      ) : null}
    </>
  );
}

/** UTC, then all time zones that the browser knows, and the chosen one where it knows it by another name. */
function zonesWith(chosen: string): string[] {
  return [...new Set(['UTC', chosen, ...Intl.supportedValuesOf('timeZone')])];
}
