"""Addresses under /accounts/."""

from django.urls import path
from django.views.i18n import set_language

from provexplorer.workspaces.joining import ChangePassword, invitation
from provexplorer.workspaces.views import SignIn, SignOut, demo_sign_in

urlpatterns = [
    path("sign-in/", SignIn.as_view(), name="sign_in"),
    path("sign-in/demo/", demo_sign_in, name="demo_sign_in"),
    path("sign-out/", SignOut.as_view(), name="sign_out"),
    path("password/", ChangePassword.as_view(), name="password"),
    path("invitations/<str:token>", invitation, name="invitation"),
    path("language/", set_language, name="set_language"),
]
