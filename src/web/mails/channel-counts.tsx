import { useQuery } from '@tanstack/react-query';
import { api } from '../api/api.ts';

/** How many channels people have besides their mailboxes, and how these are. Whose they are and where they lead is nobody else's matter. */
export function ChannelCounts() {
  const { data } = useQuery({
    queryKey: ['channel-counts'],
    queryFn: ({ signal }) => api.countChannels({}, { signal }),
    meta: { what: 'channel counts' },
  });
  if (data === undefined) return <p className="mails-dim">Channels: …</p>;
  const { channels, people, paused, failing, waiting } = data;
  if (channels === 0) return <p className="mails-dim">Channels: nobody has any</p>;
  return (
    <p className="mails-dim fl-number">
      Channels: {channels} of {people === 1 ? '1 person' : `${people} people`}, {paused} paused,{' '}
      <span className={failing > 0 ? 'mails-bad' : undefined}>{failing} failing</span>, {waiting}{' '}
      {waiting === 1 ? 'message waits' : 'messages wait'}
    </p>
  );
}
