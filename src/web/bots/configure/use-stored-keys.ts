import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/api.ts';
import { useUser } from '../../session/use-session.ts';
import type { BotForm } from './use-bot-form.ts';

/** The keys that the bot of the form may be given: those of its exchange, while the person who looks owns the bot. */
export function useStoredKeys({ entries, stored }: BotForm): { value: string; label: string }[] {
  const user = useUser();
  const isOwn = user !== null && (stored === null ? entries.userEmail.trim().toLowerCase() === user.email : stored.user_id === user.userId);
  const { data = [] } = useQuery({
    queryKey: ['own-api-keys'],
    queryFn: ({ signal }) => api.listApiKeys({}, { signal }),
    enabled: isOwn,
    meta: { what: 'API keys' },
  });
  if (!isOwn) return [];
  return data
    .filter(({ exchange }) => exchange === entries.exchangeId)
    .map(({ id, label, key_hint: hint }) => ({ value: id, label: label === null ? `****${hint}` : `${label} (****${hint})` }));
}
