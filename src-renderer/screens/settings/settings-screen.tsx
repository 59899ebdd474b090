export default function SettingsScreen(_: { section?: string }) {
  return <main id="content" className="work" tabIndex={-1} />
}
