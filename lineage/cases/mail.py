"""Mail about cases: who may approve is told of what waits, who drafted of what became of it.

A mail holds the case's uid, kind, numbers and address, never its words: mail lies about.
"""

import logging
from collections.abc import Sequence
from smtplib import SMTPDataError, SMTPRecipientsRefused
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from lineage.cases.history import MAILED
from lineage.cases.rules import another_person_decides
from lineage.models import Case, CaseEvent, CaseMailOff
from provexplorer import clock
from provexplorer.workspaces.models import Membership, Role

logger = logging.getLogger(__name__)

_What = CaseEvent.What
# Those who may approve that are told of one case.
MOST_TOLD: Final = 200
_APPROVING: Final = (Role.EDITOR, Role.ADMIN)


def mail_event(event_id: int) -> int:
    """Tell whom it concerns of what was done with a case; how many were told.

    Told once: a task that is delivered twice mails once. What fails on the way is told again.
    """
    event = (
        CaseEvent.objects.filter(pk=event_id, what__in=MAILED)
        .select_related("case__workspace", "case__drafted_by", "other")
        .first()
    )
    if event is None or not settings.EMAIL_HOST:
        return 0
    told = _told(event)
    mine = CaseEvent.objects.filter(pk=event_id, mailed_at__isnull=True)
    if not told or not mine.update(mailed_at=clock.now()):
        return 0
    try:
        return _send(event, told)
    except OSError:
        # The server of mail is away, or refused all of it: the task is asked for again.
        CaseEvent.objects.filter(pk=event_id).update(mailed_at=None)
        raise


def _told(event: CaseEvent) -> list[str]:
    """The addresses of those whom it concerns, who did it left out."""
    case = event.case
    members = Membership.objects.filter(
        ~Exists(CaseMailOff.objects.filter(membership=OuterRef("pk"))),
        workspace_id=case.workspace_id,
        user__is_active=True,
    ).exclude(user__email="")
    if event.author_id is not None:
        members = members.exclude(user_id=event.author_id)
    if event.what == _What.TRIED:
        members = members.filter(role__in=_APPROVING)
        if case.drafted_by_id is not None and another_person_decides(case.workspace_id):
            members = members.exclude(user_id=case.drafted_by_id)
    else:
        members = members.filter(user=case.drafted_by)
    found = members.order_by("pk").values_list("user__email", flat=True)
    return list(dict.fromkeys(found[:MOST_TOLD]))


def _send(event: CaseEvent, told: Sequence[str]) -> int:
    with override(settings.LANGUAGE_CODE):
        subject, body = _words(event)
    sent = 0
    with get_connection() as connection:
        for address in told:
            try:
                sent += EmailMessage(subject, body, to=[address], connection=connection).send()
            except (SMTPRecipientsRefused, SMTPDataError) as error:
                # One address that takes nothing must not have the others told twice.
                logger.warning(
                    "a mail was refused", extra={"event": event.pk, "error": type(error).__name__}
                )
    return sent


def _words(event: CaseEvent) -> tuple[str, str]:
    """Subject and body."""
    case = event.case
    says = {
        _What.TRIED: _("A case waits for approval"),
        _What.APPROVED: _("A case was approved"),
        _What.REJECTED: _("A case was rejected"),
        _What.VERIFIED: _("A case is done and proved"),
        _What.INCOMPLETE: _("A case is in effect, but not complete"),
    }[_What(event.what)]
    stale, review = (event.numbers.get(word, 0) for word in ("stale", "review"))
    lines = [
        f"{says}: {case.kind} {case.uid}",
        "",
        ngettext("%(n)d answer stale", "%(n)d answers stale", stale) % {"n": stale},
        ngettext("%(n)d answer to review", "%(n)d answers to review", review) % {"n": review},
        "",
        _address(case),
        "",
        _("You can turn these mails off: %(address)s")
        % {"address": f"{settings.SITE_ADDRESS}/settings/cases/?ws={case.workspace.slug}"},
    ]
    return f"{says} ({case.kind})", "\n".join(lines) + "\n"


def _address(case: Case) -> str:
    return f"{settings.SITE_ADDRESS}/cases/{case.uid}"
