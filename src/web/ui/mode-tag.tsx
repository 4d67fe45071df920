import { IconBolt, IconFlask } from '@tabler/icons-react';

/** LIVE or PAPER as a small filled tag, where a band would be too much. */
export function ModeTag({ mode }: { mode: 'paper' | 'live' }) {
  const Icon = mode === 'live' ? IconBolt : IconFlask;
  return (
    <span className={`fl-tag fl-mode-${mode}`}>
      <Icon size={11} aria-hidden />
      {mode}
    </span>
  );
}
