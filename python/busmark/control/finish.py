"""Closing a campaign: findings over all rounds, the end of the manifest."""

from __future__ import annotations

import time

from busmark.control.campaign import Campaign
from busmark.findings import campaign_findings, combine
from busmark.store import Result


def finish(campaign: Campaign, *, complete: bool) -> Result:
    """Stores what the rounds together tell, and lets the directory go."""
    writer = campaign.writer
    found = campaign_findings(Result(writer.directory))
    writer.manifest.findings = combine(writer.manifest.findings, found)
    if complete:
        writer.manifest.finished_utc = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    writer.save_manifest()
    writer.event("campaign_ends", complete=complete)
    writer.close()
    return Result(writer.directory)
